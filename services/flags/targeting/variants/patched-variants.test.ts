import type { Variant } from '@yardarm/shared/contracts/flags';
import { describe, expect, it } from 'vitest';
import { patchedVariants } from './patched-variants.ts';

const blue: Variant = { name: 'blue', weight: 500, weightType: 'variable', stickiness: 'default' };
const red: Variant = { name: 'red', weight: 500, weightType: 'variable', stickiness: 'userId' };

describe('a patch of variants', () => {
  it.each([
    ['adds one at a place', [{ op: 'add', path: '/0', value: red }], [red, blue]],
    [
      'adds one at the end, with defaults',
      [{ op: 'add', path: '/-', value: { name: 'red', weight: 1 } }],
      [blue, { name: 'red', weight: 1, weightType: 'variable', stickiness: 'default' }],
    ],
    ['removes one', [{ op: 'remove', path: '/0' }], []],
    ['replaces a property', [{ op: 'replace', path: '/0/name', value: 'sky' }], [{ ...blue, name: 'sky' }]],
    ['replaces all', [{ op: 'replace', path: '', value: [red] }], [red]],
    [
      'changes an override',
      [
        { op: 'add', path: '/0/overrides', value: [{ contextName: 'userId', values: ['1'] }] },
        { op: 'add', path: '/0/overrides/0/values/-', value: '2' },
      ],
      [{ ...blue, overrides: [{ contextName: 'userId', values: ['1', '2'] }] }],
    ],
    ['does nothing after a test that succeeds', [{ op: 'test', path: '/0/name', value: 'blue' }], [blue]],
  ] as const)('%s', (_, operations, expected) => {
    expect(patchedVariants([blue], operations)).toEqual(expected);
  });

  it.each([
    ['an absent variant', [{ op: 'remove', path: '/3' }], /\[0\] on the path "\/3" cannot be applied/],
    ['an absent property', [{ op: 'replace', path: '/0/payload/type', value: 'csv' }], /cannot be applied/],
    ['a failed test', [{ op: 'test', path: '/0/name', value: 'red' }], /is not what the flag has/],
    ['a foreign path', [{ op: 'add', path: '/0/__proto__/x', value: 1 }], /should have a path such as/],
    ['the prototype', [{ op: 'add', path: '/0/constructor/prototype/x', value: 1 }], /should have a path such as/],
    ['a move from nowhere', [{ op: 'move', path: '/0', from: '/x' }], /should have a from such as/],
    ['a value of a wrong type', [{ op: 'replace', path: '/0/weight', value: 'x' }], /\.variants\[0\]\.weight .*"x"/],
    [
      'copies that grow without end',
      [
        { op: 'add' as const, path: '/0/overrides', value: [{ contextName: 'userId', values: ['1'] }] },
        ...Array.from({ length: 40 }, () => ({ op: 'copy' as const, path: '/0/overrides/-', from: '/0/overrides' })),
      ],
      /copies too much/,
    ],
    ['no list', [{ op: 'remove', path: '' }], /\.variants property should be array/],
    ['an addition without a value', [{ op: 'add', path: '/0' }], /cannot be applied/],
  ] as const)('is refused for %s', (_, operations, message) => {
    expect(() => patchedVariants([blue], operations)).toThrow(message);
  });
});
