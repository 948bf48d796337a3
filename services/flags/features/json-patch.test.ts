import { AppError } from '@yardarm/shared/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stored } from '../testing/stored-feature.ts';
import { type ChangeableFeature, toDocument } from './feature.ts';
import { type PatchOperation, patched } from './json-patch.ts';

const flag = toDocument({ ...stored, description: 'old' });

function refusalOf(operations: PatchOperation[]): AppError {
  try {
    patched(flag, operations);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the patch was not refused');
}

describe('patched', () => {
  it.each<[string, PatchOperation[], Partial<ChangeableFeature>]>([
    ['no operations', [], {}],
    ['replace of a description', [{ op: 'replace', path: '/description', value: 'new' }], { description: 'new' }],
    ['replace of a description by null', [{ op: 'replace', path: '/description', value: null }], { description: null }],
    ['remove of a description', [{ op: 'remove', path: '/description' }], { description: null }],
    ['add over a present property', [{ op: 'add', path: '/stale', value: true }], { stale: true }],
    ['copy of one switch to another', [{ op: 'copy', from: '/stale', path: '/impressionData' }], {}],
    [
      'move of the description to the type',
      [{ op: 'move', from: '/description', path: '/type' }],
      { type: 'old', description: null },
    ],
    [
      'a property removed and added again',
      [
        { op: 'remove', path: '/stale' },
        { op: 'add', path: '/stale', value: true },
      ],
      { stale: true },
    ],
    [
      'a test that succeeds, and the operation after it',
      [
        { op: 'test', path: '/type', value: 'release' },
        { op: 'replace', path: '/type', value: 'experiment' },
      ],
      { type: 'experiment' },
    ],
    ['archiving', [{ op: 'replace', path: '/archived', value: true }], { archived: true }],
  ])('applies %s', (_, operations, changes) => {
    expect(patched(flag, operations)).toEqual({ ...flag, ...changes });
  });

  it.each<[string, PatchOperation[], RegExp]>([
    ['the name', [{ op: 'replace', path: '/name', value: 'x' }], /"\/name".*"value":"x"/],
    ['the project', [{ op: 'replace', path: '/project', value: 'x' }], /"\/project"/],
    ['the creation date', [{ op: 'remove', path: '/createdAt' }], /"\/createdAt"/],
    ['an unknown property', [{ op: 'add', path: '/color', value: 1 }], /"\/color"/],
    ['the prototype', [{ op: 'add', path: '/__proto__/stale', value: true }], /"\/__proto__\/stale"/],
    ['the prototype itself', [{ op: 'add', path: '/__proto__', value: { stale: true } }], /"\/__proto__"/],
    ['the constructor', [{ op: 'add', path: '/constructor/prototype/x', value: 1 }], /constructor/],
    ['the whole document', [{ op: 'replace', path: '', value: flag }], /path ""/],
    ['something below a property', [{ op: 'add', path: '/description/0', value: 'x' }], /"\/description\/0"/],
    ['a path without its slash', [{ op: 'replace', path: 'stale', value: true }], /"stale"/],
    [
      'a copy from outside',
      [{ op: 'copy', from: '/name', path: '/description' }],
      /should have as from.*"from":"\/name"/,
    ],
    ['a move without from', [{ op: 'move', path: '/description' }], /should have as from/],
    ['a replace without a value', [{ op: 'replace', path: '/stale' }], /has no value, which "replace" needs/],
    ['a type removed', [{ op: 'remove', path: '/type' }], /leaves the flag without \/type/],
    ['a type moved away', [{ op: 'move', from: '/type', path: '/description' }], /leaves the flag without \/type/],
    [
      'a switch that is a word',
      [{ op: 'replace', path: '/stale', value: 'yes' }],
      /give \/stale a boolean.*"value":"yes"/,
    ],
    ['a switch that is null', [{ op: 'replace', path: '/archived', value: null }], /give \/archived a boolean/],
    ['a type that is a number', [{ op: 'add', path: '/type', value: 7 }], /give \/type a string.*7/],
    ['a description that is a list', [{ op: 'add', path: '/description', value: ['x'] }], /\/description.*\["x"\]/],
    ['a test that fails', [{ op: 'test', path: '/stale', value: true }], /"\/stale" is not what the flag has/],
    [
      'a second remove of one property',
      [
        { op: 'remove', path: '/description' },
        { op: 'remove', path: '/description' },
      ],
      /\[1\].*cannot be applied/,
    ],
  ])('refuses %s, naming path and value', (_, operations, message) => {
    const refusal = refusalOf(operations);
    expect(refusal.code).toBe('bad-data');
    expect(refusal.message).toMatch(message);
  });

  it('does not change the document when a later operation is refused', () => {
    const document = { ...flag };
    const operations: PatchOperation[] = [
      { op: 'replace', path: '/stale', value: true },
      { op: 'test', path: '/type', value: 'no' },
    ];
    expect(() => patched(document, operations)).toThrow(AppError);
    expect(document).toEqual(flag);
  });

  it('returns a valid document or throws an AppError for any operations, and never pollutes a prototype', () => {
    const path = fc.constantFrom(
      '/description',
      '/type',
      '/stale',
      '/archived',
      '/impressionData',
      '/__proto__',
      '',
      '/x/y',
    );
    const operation: fc.Arbitrary<PatchOperation> = fc.record(
      {
        op: fc.constantFrom<PatchOperation['op']>('add', 'remove', 'replace', 'copy', 'move', 'test'),
        path,
        from: path,
        value: fc.oneof(fc.boolean(), fc.string(), fc.jsonValue()),
      },
      { requiredKeys: ['op', 'path'] },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (operations) => {
        try {
          const result = patched(flag, operations);
          expect(Object.keys(result).sort()).toEqual(Object.keys(flag).sort());
          expect(typeof result.type).toBe('string');
          for (const value of [result.stale, result.archived, result.impressionData])
            expect(typeof value).toBe('boolean');
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });
});
