import type { Strategy } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { describe, expect, it } from 'vitest';
import type { PatchOperation } from '../../features/json-patch.ts';
import { patchedStrategy } from './patched-strategy.ts';

const strategy: Strategy = {
  ...{ id: '5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11', name: 'flexibleRollout', title: 'A', disabled: false },
  ...{ featureName: 'checkout', sortOrder: 3, segments: [1], variants: [], parameters: { rollout: '50' } },
  constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'], caseInsensitive: false, inverted: false }],
};
const { id: _id, featureName: _featureName, ...document } = strategy;

describe('patchedStrategy', () => {
  it.each<[string, PatchOperation[], object]>([
    ['nothing', [], document],
    [
      'a part of a property',
      [{ op: 'replace', path: '/parameters/rollout', value: 70 }],
      { parameters: { rollout: '70' } },
    ],
    [
      'an item of a list',
      [{ op: 'add', path: '/constraints/0/values/-', value: '2' }],
      { constraints: [{ values: ['1', '2'] }] },
    ],
    ['a whole property', [{ op: 'replace', path: '/segments', value: [] }], { segments: [] }],
    [
      'a removal',
      [
        { op: 'remove', path: '/title' },
        { op: 'remove', path: '/constraints' },
      ],
      { title: null, constraints: [] },
    ],
    [
      'a removal of what every strategy has',
      [
        { op: 'remove', path: '/name' },
        { op: 'remove', path: '/sortOrder' },
      ],
      document,
    ],
    [
      'a copy after a test',
      [
        { op: 'test', path: '/title', value: 'A' },
        { op: 'copy', from: '/title', path: '/parameters/groupId' },
      ],
      { parameters: { rollout: '50', groupId: 'A' } },
    ],
  ])('applies %s', (_, operations, expected) => {
    expect(patchedStrategy(strategy, operations)).toMatchObject({ ...document, ...expected });
  });

  it.each<[string, PatchOperation[], string | RegExp]>([
    [
      'the id',
      [{ op: 'replace', path: '/id', value: 'x' }],
      /operation \[0\] on the path "\/id" should have as path one of \/name/,
    ],
    ['the whole', [{ op: 'replace', path: '', value: {} }], /should have as path one of/],
    ['an unknown source', [{ op: 'copy', from: '/id', path: '/title' }], /should have as from one of/],
    ['a path without a value', [{ op: 'add', path: '/title' }], /\[0\] on the path "\/title" cannot be applied/],
    ['an absent path', [{ op: 'remove', path: '/parameters/none' }], /cannot be applied/],
    ['a path through a prototype', [{ op: 'add', path: '/parameters/__proto__/x', value: '1' }], /cannot be applied/],
    [
      'a parameter that a record would drop',
      [{ op: 'replace', path: '/parameters', value: JSON.parse('{"__proto__":"1"}') }],
      /\.parameters\.__proto__ property is not allowed/,
    ],
    ['a failing test', [{ op: 'test', path: '/title', value: 'B' }], /is not what the strategy has/],
    [
      'a value of the wrong type',
      [{ op: 'replace', path: '/disabled', value: 'yes' }],
      /\.disabled property should be boolean.*"yes"/,
    ],
  ])('refuses %s', (_, operations, message) => {
    const patch = () => patchedStrategy(strategy, operations);
    expect(patch).toThrow(AppError);
    expect(patch).toThrow(message);
    expect(strategy).toMatchObject(document);
  });

  it('refuses copies that fill the memory, and copies that take long although each replaces the one before', () => {
    const growing = Array.from({ length: 100 }, (_, index) => ({
      ...{ op: 'copy' as const, from: '/parameters', path: `/parameters/${index}` },
    }));
    expect(() => patchedStrategy(strategy, growing)).toThrow(/copies too much/);
    const constraints = [{ contextName: 'userId', operator: 'IN', values: Array.from({ length: 20_000 }, String) }];
    const add = { op: 'add' as const, path: '/constraints', value: constraints };
    const copy = { op: 'copy' as const, from: '/constraints', path: '/variants' };
    expect(() => patchedStrategy(strategy, [add, copy, copy, copy, copy, copy])).toThrow(/\[3\] .* copies too much/);
  });

  it('refuses moves that take long because each replaces a large value', () => {
    const values = Array.from({ length: 20_000 }, () => 'a user id');
    const add = { op: 'add' as const, path: '/constraints', value: [values, 0] };
    const moves = Array.from({ length: 98 }, (_, index) => ({
      ...{ op: 'move' as const, from: `/constraints/${(index + 1) % 2}`, path: `/constraints/${index % 2}` },
    }));
    expect(() => patchedStrategy(strategy, [add, ...moves])).toThrow(/\[3\] .* replaces too much/);
  });

  it('moves constraints to other places of their list', () => {
    const constraints = [1, 2, 3].map((index) => ({
      ...{
        contextName: `field${index}`,
        operator: 'IN' as const,
        values: ['a'],
        inverted: false,
        caseInsensitive: false,
      },
    }));
    const patched = patchedStrategy(strategy, [
      { op: 'add', path: '/constraints', value: constraints },
      { op: 'move', from: '/constraints/0', path: '/constraints/2' },
    ]);
    expect(patched.constraints.map(({ contextName }) => contextName)).toEqual(['field2', 'field3', 'field1']);
  });
});
