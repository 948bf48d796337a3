import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinedLists } from './joined-lists.ts';

const fields = ['one', 'two', 'three'] as const;
type Output = Record<(typeof fields)[number], unknown[]>;

async function* from(outputs: Output[]): AsyncGenerator<Output> {
  yield* outputs;
}

const textOf = async (outputs: Output[]) => {
  const pieces = await Array.fromAsync(joinedLists(fields, from(outputs)));
  return `{${pieces.map((piece) => Buffer.from(piece).toString()).join(',')}}`;
};

test('the text is that of the whole object, wherever its outputs begin and end', async () => {
  const lists = fc.record({
    one: fc.array(fc.string()),
    two: fc.array(fc.constant({ 'a,]': '"}' })),
    three: fc.array(fc.integer()),
  });
  const property = fc.asyncProperty(lists, fc.integer({ min: 1, max: 5 }), async (whole, size) => {
    const items = fields.flatMap((field) => whole[field].map((item) => ({ field, item })));
    const outputs: Output[] = [];
    for (let at = 0; at < items.length; at += size) {
      const output: Output = { one: [], two: [], three: [] };
      for (const { field, item } of items.slice(at, at + size)) output[field].push(item);
      outputs.push(output);
    }
    const { one, two, three } = whole;
    expect(await textOf(outputs)).toBe(JSON.stringify({ one, two, three }));
    expect(await textOf([...outputs, { one: [], two: [], three: [] }])).toBe(JSON.stringify({ one, two, three }));
  });
  await fc.assert(property);
});

test('an item of an earlier list breaks the text off', async () => {
  const outputs = [
    { one: [], two: [1], three: [] },
    { one: [2], two: [], three: [] },
  ];
  await expect(textOf(outputs)).rejects.toThrow('one');
});

test('a piece is made as soon as the next output is there', async () => {
  const taken: number[] = [];
  async function* outputs(): AsyncGenerator<Output> {
    for (let n = 1; n <= 3; n += 1) {
      taken.push(n);
      yield { one: [n], two: [], three: [] };
    }
  }
  const pieces = joinedLists(fields, outputs());
  expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe('"one":[1');
  expect(taken).toEqual([1, 2]);
});
