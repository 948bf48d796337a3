import { propertyRuns } from '@yardarm/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { parseInSlices } from './parse-in-slices.ts';

const slicer = { next: async () => {} };

const outcomeOf = async (parse: () => unknown) => {
  try {
    return { value: await parse() };
  } catch {
    return 'not JSON';
  }
};

const pieceLengths = fc.integer({ min: 1, max: 40 });
const spaced = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom('', ' ', '\n\t'));

/** Texts of objects and lists within each other, some of which have a character too many, another one, or lack one. */
const texts = fc
  .tuple(spaced, fc.nat(), fc.constantFrom('', ...'{}[],:"\\0a- \u00a0'), fc.integer({ min: 0, max: 2 }))
  .map(([[value, space], position, character, kind]) => {
    const text = JSON.stringify([value, { ['__proto__']: [value], a: value }, { a: { a: value } }], null, space);
    const at = position % text.length;
    return kind === 0 ? text : text.slice(0, at) + character + text.slice(kind === 1 ? at : at + 1);
  });

test('a text is parsed as JSON.parse parses it, wherever its pieces begin and end', async () => {
  const property = fc.asyncProperty(texts, pieceLengths, async (text, pieceLength) => {
    const outcome = await outcomeOf(() => parseInSlices(text, slicer, pieceLength));
    expect(outcome).toEqual(await outcomeOf(() => JSON.parse(text)));
  });
  await fc.assert(property, { numRuns: propertyRuns(5_000) });
});

test('properties named __proto__ and names that occur twice are those of JSON.parse', async () => {
  for (const text of [
    '{"__proto__":{"a":1,"b":2},"a":{"b":[1,2],"c":3},"a":[4,5]}',
    '{"a":{"__proto__":1,"b":2},"__proto__":[1,2]}',
  ]) {
    const value = await parseInSlices(text, slicer, 1);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  }
});

test('a report of 170,000 properties is parsed in many slices', async () => {
  const toggles = Object.fromEntries(Array.from({ length: 55_000 }, (_, n) => [`flag-${n}`, { yes: n, no: 0 }]));
  const report = { appName: 'a', bucket: { start: 'x', toggles } };
  let slices = 0;
  const counting = {
    async next() {
      slices += 1;
    },
  };
  expect(await parseInSlices(JSON.stringify(report), counting)).toEqual(report);
  expect(slices).toBeGreaterThan(50);
});

test('members of a hundred levels that are each shorter than a piece are parsed in pieces', async () => {
  const members = '1,'.repeat(400);
  const text = `${`[${members}`.repeat(99)}[1]${']'.repeat(99)}`;
  const parse = vi.spyOn(JSON, 'parse');
  await parseInSlices(text, slicer, 1_000);
  const longest = Math.max(...parse.mock.calls.map(([piece]) => piece.length));
  parse.mockRestore();
  expect(longest).toBeLessThan(3_000);
});

test('what is nested deeper than a hundred levels is parsed while it is short, and refused when it is long', async () => {
  const deep = (levels: number, members: string) => `{"a":1,"x":${'['.repeat(levels)}${members}${']'.repeat(levels)}}`;
  const short = deep(45_000, '1');
  expect((await parseInSlices(short, slicer)) as { a: number }).toMatchObject({ a: 1 });
  const wide = (count: number) => '1,'.repeat(count - 1).concat('1');
  expect(await parseInSlices(deep(99, wide(100_000)), slicer)).toMatchObject({ a: 1 });
  const problem = /more than 100000 characters in a value that is nested deeper than 100 levels/;
  await expect(parseInSlices(deep(101, wide(100_000)), slicer)).rejects.toThrow(problem);
  await expect(parseInSlices(deep(60_000, '1'), slicer)).rejects.toThrow(problem);
  const nested = `${`[${wide(7_000)},`.repeat(150)}1${']'.repeat(150)}`;
  await expect(parseInSlices(nested, slicer)).rejects.toThrow(problem);
});
