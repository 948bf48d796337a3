import { TimeSlicer } from '@yardarm/shared/waiting';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from './parse-document.ts';

const parse = (text: string) => parseDocument(text, new TimeSlicer({ deadline: Number.POSITIVE_INFINITY }));
/** Makes a list long enough to be parsed in portions. */
const filling = { filling: 'x'.repeat(20_000) };
const long = (items: unknown[]) => Array.from({ length: 20 }, () => [...items, filling]).flat();

test('a document is what JSON.parse returns, with its long lists and without', async () => {
  const hard = fc.array(fc.oneof(fc.json(), fc.constantFrom('],[', '"', '\\"', '}{', ',')));
  const property = fc.asyncProperty(
    hard,
    fc.boolean(),
    fc.integer({ min: 0, max: 2 }),
    async (items, isLong, indent) => {
      const list = isLong ? long(items) : items;
      const data = { features: list, '"],': { links: list }, short: [1, { a: [] }], none: [], text: '[' };
      const document = { project: 'a', data, others: list, same: { features: list } };
      const text = JSON.stringify(document, null, indent);
      expect(await parse(text)).toEqual(JSON.parse(text));
    },
  );
  await fc.assert(property, { numRuns: 50 });
});

const list = JSON.stringify(long([])).slice(1, -1);

test.each([
  ['a comma behind the last item', `{"data":{"features":[${list},]}}`],
  ['a comma before the first item', `{"data":{"features":[,${list}]}}`],
  ['two commas', `{"data":{"features":[${list},,${list}]}}`],
  ['two items without a comma', `{"data":{"features":[${list} ${list}]}}`],
  ['a list that ends as an object', `{"data":{"features":[${list}}}}`],
  ['an item that ends as a list', `{"data":{"features":[${list},{"a":1],${list}]}}`],
  ['a list without an end', `{"data":{"features":[${list}`],
  ['a text without an end', `{"data":{"features":[${list},"]}}`],
  ['text behind the document', `{"data":{"features":[${list}]}} x`],
])('%s is no JSON', async (_what, text) => {
  expect(() => JSON.parse(text)).toThrow();
  await expect(parse(text)).rejects.toMatchObject({ code: 'validation' });
});

test('what is around the lists has a bound, which the error names', async () => {
  const text = JSON.stringify({ other: 'x'.repeat(1_000_001), data: { features: long([]) } });
  await expect(parse(text)).rejects.toMatchObject({ code: 'bad-data', message: expect.stringContaining('1000000') });
});

test('an item with too many values is named before anything is parsed', async () => {
  const item = JSON.stringify(Array(60_000).fill({}));
  await expect(parse(`{"data":{"tagTypes":[{},${item}] no JSON`)).rejects.toMatchObject({
    code: 'bad-data',
    message: expect.stringContaining('.data.tagTypes[1]'),
  });
});
