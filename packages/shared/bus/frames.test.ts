import { expect, test } from 'vitest';
import { z } from 'zod';
import { request } from '../contracts/contract.ts';
import { encodeItems, encodeParts, inflateFrame, itemsOf, listFieldOf, textsOf } from './frames.ts';

const contractOf = <Output extends z.ZodObject>(output: Output) =>
  request({
    name: 'flags.anchor.list',
    writes: false,
    summary: 'for this test',
    input: z.object({}),
    output,
    permission: 'internal',
  });
const list = contractOf(z.object({ anchors: z.array(z.object({ id: z.number(), note: z.string().optional() })) }));
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();

test('an output is one list if a list is its only field', () => {
  expect(listFieldOf(list)).toBe('anchors');
  expect(listFieldOf(contractOf(z.object({ days: z.array(z.string()).max(3) })))).toBe('days');
  expect(listFieldOf(contractOf(z.object({ anchors: z.array(z.string()), total: z.number() })))).toBeUndefined();
  expect(listFieldOf(contractOf(z.object({ total: z.number() })))).toBeUndefined();
  expect(listFieldOf(contractOf(z.object({})))).toBeUndefined();
});

test('frames have the bytes of an output, in order and within the limits', () => {
  const items = [{ id: 1, note: 'ü' }, { id: 2 }, { id: 3 }];
  const frames = [...encodeItems(list, items, { bytes: 1000, items: 2 })].map(({ deflated }) => inflateFrame(deflated));
  expect(frames.map(text)).toEqual([
    JSON.stringify({ anchors: [{ id: 1, note: 'ü' }, { id: 2 }] }),
    JSON.stringify({ anchors: [{ id: 3 }] }),
  ]);
  expect(frames.map((frame) => text(itemsOf(list, frame)))).toEqual(['{"id":1,"note":"ü"},{"id":2}', '{"id":3}']);
  expect([...encodeItems(list, items, { bytes: 12, items: 7 })]).toHaveLength(3);
  expect([...encodeItems(list, [])]).toEqual([]);
});

test('an item that is larger than a frame is a frame by itself', () => {
  const [frame, ...others] = encodeItems(list, [{ id: 1, note: 'x'.repeat(900_000) }]);
  expect(others).toEqual([]);
  expect(inflateFrame(frame!.deflated)).toHaveLength('{"anchors":[{"id":1,"note":""}]}'.length + 900_000);
});

test('a first item that does not conform is refused', () => {
  expect(() => [...encodeItems(list, [{ id: 'one' } as never])]).toThrow(
    'an item of flags.anchor.list does not conform',
  );
});

test.each(['{"anchors":[{"id":1}]', '{"anchors":{}}', '{"total":1,"anchors":[]}', '{ "anchors":[]}', '{"a', ''])(
  '%j is no such output',
  (body) => {
    expect(itemsOf(list, Buffer.from(body))).toBeUndefined();
  },
);

test('a frame may be empty', () => {
  expect(text(itemsOf(list, Buffer.from('{"anchors":[]}')))).toBe('');
});

test('parts have the other fields of the output in each frame, and one frame without items', () => {
  const counted = contractOf(z.object({ anchors: z.array(z.object({ id: z.number() })), total: z.number() }));
  const frames = (items: { id: number }[]) =>
    [...encodeParts(counted, textsOf(items), { total: 7 })].map(({ deflated }) => text(inflateFrame(deflated)));
  expect(frames([])).toEqual(['{"anchors":[],"total":7}']);
  expect(frames([{ id: 1 }, { id: 2 }])).toEqual(['{"anchors":[{"id":1},{"id":2}],"total":7}']);
  const many = frames(Array.from({ length: 1_500 }, (_, id) => ({ id })));
  expect(many.map((frame) => JSON.parse(frame!)).map(({ anchors, total }) => [anchors.length, total])).toEqual([
    [1_000, 7],
    [500, 7],
  ]);
  expect(() => [...encodeParts(counted, ['{"id":"one"}'], { total: 7 })]).toThrow('does not conform');
  expect(() => [...encodeParts(counted, [], {})]).toThrow('does not conform');
  expect(() => [...encodeParts(contractOf(z.object({ total: z.number() })), [], { total: 7 })]).toThrow('has no list');
});
