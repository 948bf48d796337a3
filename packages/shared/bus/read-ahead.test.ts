// Proves: pieces arrive complete and in order, however slow the caller is; a caller that leaves ends the reading.
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EncodedPiece } from './items.ts';
import { readAhead } from './read-ahead.ts';
import { contextWith } from './testing/bus-rig.ts';

const pieces = Array.from({ length: 20 }, (_, n) => new EncodedPiece(`{"list":[${n}]}`));

test('a fast and a slow caller get the same pieces', async () => {
  const fast = await Array.fromAsync(
    readAhead(async (push) => {
      for (const piece of pieces) {
        push(piece);
        await setImmediate();
      }
    }, contextWith()),
  );
  // Everything is pushed before the caller takes the second piece.
  const slow = await Array.fromAsync(readAhead(async (push) => pieces.forEach(push), contextWith()));
  expect(fast).toEqual(pieces);
  expect(slow).toEqual(pieces);
});

test('an error comes after the pieces before it', async () => {
  const taken: EncodedPiece[] = [];
  const take = async () => {
    const answer = readAhead(async (push) => {
      pieces.slice(0, 7).forEach(push);
      throw new Error('the disk is full');
    }, contextWith());
    for await (const piece of answer) taken.push(piece);
  };
  await expect(take()).rejects.toThrow('the disk is full');
  expect(taken).toEqual(pieces.slice(0, 7));
});

test('the reading ends when the caller leaves', async () => {
  let pushed = 0;
  let hasEnded = false;
  const answer = readAhead(async (push) => {
    try {
      for (; ; pushed += 1) {
        push(pieces[0]!);
        await setImmediate();
      }
    } finally {
      hasEnded = true;
    }
  }, contextWith());
  for await (const _ of answer) if (pushed > 10) break;
  expect(hasEnded).toBe(true);
});

test('the reading ends at the deadline', async () => {
  const read = async (push: (piece: EncodedPiece) => void) => push(pieces[0]!);
  const late = Array.fromAsync(readAhead(read, contextWith({ deadline: Date.now() - 1 })));
  await expect(late).rejects.toMatchObject({ code: 'timeout' });
});

test('slow callers together occupy a bounded memory, which they free when they leave', async () => {
  const piece = new EncodedPiece(randomBytes(1_000_000).toString('base64'));
  const open = () =>
    readAhead(async (push) => {
      for (let n = 0; n < 40; n += 1) push(piece);
    }, contextWith());
  const [first, second] = [open(), open()];
  await first.next();
  await second.next();
  await expect(Array.fromAsync(second)).rejects.toMatchObject({ code: 'unavailable' });
  await first.return(undefined);
  expect(await Array.fromAsync(open())).toHaveLength(40);
});
