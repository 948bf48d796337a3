import { expect, test } from 'vitest';
import { z } from 'zod';
import { request } from '../contracts/contract.ts';
import { encodePieces, inflatePiece, itemsOf, listFieldOf } from './items.ts';

const contractOf = <Output extends z.ZodObject>(output: Output) =>
  request({ name: 'flags.anchor.list', summary: 'for this test', input: z.object({}), output, permission: 'internal' });
const list = contractOf(z.object({ anchors: z.array(z.object({ id: z.number(), note: z.string().optional() })) }));
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();

test('an output is one list if a list is its only field', () => {
  expect(listFieldOf(list)).toBe('anchors');
  expect(listFieldOf(contractOf(z.object({ days: z.array(z.string()).max(3) })))).toBe('days');
  expect(listFieldOf(contractOf(z.object({ anchors: z.array(z.string()), total: z.number() })))).toBeUndefined();
  expect(listFieldOf(contractOf(z.object({ total: z.number() })))).toBeUndefined();
  expect(listFieldOf(contractOf(z.object({})))).toBeUndefined();
});

test('pieces have the bytes of an output, in order and within the limits', () => {
  const items = [{ id: 1, note: 'ü' }, { id: 2 }, { id: 3 }];
  const pieces = encodePieces(list, items, { bytes: 1000, items: 2 }).map(({ deflated }) => inflatePiece(deflated));
  expect(pieces.map(text)).toEqual([
    JSON.stringify({ anchors: [{ id: 1, note: 'ü' }, { id: 2 }] }),
    JSON.stringify({ anchors: [{ id: 3 }] }),
  ]);
  expect(pieces.map((piece) => text(itemsOf(list, piece)))).toEqual(['{"id":1,"note":"ü"},{"id":2}', '{"id":3}']);
  expect(encodePieces(list, items, { bytes: 12, items: 7 })).toHaveLength(3);
  expect(encodePieces(list, [])).toEqual([]);
});

test('an item that is larger than a piece is a piece by itself', () => {
  const [piece, ...others] = encodePieces(list, [{ id: 1, note: 'x'.repeat(900_000) }]);
  expect(others).toEqual([]);
  expect(inflatePiece(piece!.deflated)).toHaveLength('{"anchors":[{"id":1,"note":""}]}'.length + 900_000);
});

test('a first item that does not conform is refused', () => {
  expect(() => encodePieces(list, [{ id: 'one' } as never])).toThrow('an item of flags.anchor.list does not conform');
});

test.each(['{"anchors":[{"id":1}]', '{"anchors":{}}', '{"total":1,"anchors":[]}', '{ "anchors":[]}', '{"a', ''])(
  '%j is not a piece',
  (body) => {
    expect(itemsOf(list, Buffer.from(body))).toBeUndefined();
  },
);

test('a piece may be empty', () => {
  expect(text(itemsOf(list, Buffer.from('{"anchors":[]}')))).toBe('');
});
