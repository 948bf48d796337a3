// Proves: frames arrive complete and in order, however slow the caller is; a caller that leaves ends the reading.
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pause } from '../waiting/index.ts';
import { Frame } from './frames.ts';
import { readAhead } from './read-ahead.ts';
import { contextWith } from './testing/bus-rig.ts';

const frames = Array.from({ length: 20 }, (_, n) => new Frame(`{"list":[${n}]}`));

test('a fast and a slow caller get the same frames', async () => {
  const fast = await Array.fromAsync(
    readAhead(async (push) => {
      for (const frame of frames) {
        push(frame);
        await setImmediate();
      }
    }, contextWith()),
  );
  // Everything is pushed before the caller takes the second frame.
  const slow = await Array.fromAsync(readAhead(async (push) => frames.forEach(push), contextWith()));
  expect(fast).toEqual(frames);
  expect(slow).toEqual(frames);
});

test('an error comes after the frames before it', async () => {
  const taken: Frame[] = [];
  const take = async () => {
    const answer = readAhead(async (push) => {
      frames.slice(0, 7).forEach(push);
      throw new Error('the disk is full');
    }, contextWith());
    for await (const frame of answer) taken.push(frame);
  };
  await expect(take()).rejects.toThrow('the disk is full');
  expect(taken).toEqual(frames.slice(0, 7));
});

test('the reading ends when the caller leaves', async () => {
  let pushed = 0;
  let hasEnded = false;
  const answer = readAhead(async (push) => {
    try {
      for (; ; pushed += 1) {
        push(frames[0]!);
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
  const read = async (push: (frame: Frame) => void) => push(frames[0]!);
  const late = Array.fromAsync(readAhead(read, contextWith({ deadline: Date.now() - 1 })));
  await expect(late).rejects.toMatchObject({ code: 'timeout' });
});

test('slow callers together occupy a bounded memory, which they free when they leave', async () => {
  const frame = new Frame(randomBytes(1_000_000).toString('base64'));
  const open = () =>
    readAhead(async (push) => {
      for (let n = 0; n < 40; n += 1) push(frame);
    }, contextWith());
  const [first, second] = [open(), open()];
  await first.next();
  await second.next();
  await expect(Array.fromAsync(second)).rejects.toMatchObject({ code: 'unavailable' });
  await first.return(undefined);
  expect(await Array.fromAsync(open())).toHaveLength(40);
});

test('a reading that waits is never further ahead than what it pushed last', async () => {
  let waiting = 0;
  const most: number[] = [];
  const answer = readAhead(async (push, taken) => {
    for (let at = 0; at < frames.length; at += 5) {
      frames.slice(at, at + 5).forEach(push);
      waiting += 5;
      most.push(waiting);
      await taken();
    }
  }, contextWith());
  const read: Frame[] = [];
  for await (const frame of answer) {
    read.push(frame);
    waiting -= 1;
    await setImmediate();
  }
  expect(read).toEqual(frames);
  expect(Math.max(...most)).toBeLessThanOrEqual(6);
});

test('a reading may take longer than the request, while its caller goes on', async () => {
  const answer = readAhead(
    async (push) => {
      for (const frame of frames) {
        push(frame);
        await pause(20);
      }
    },
    { ...contextWith(), deadline: Date.now() + 200 },
  );
  expect(await Array.fromAsync(answer)).toEqual(frames);
});

test('the reading ends when the caller takes nothing for as long as the request had', async () => {
  const answer = readAhead(
    async (push) => {
      for (;;) {
        push(frames[0]!);
        await pause(5);
      }
    },
    { ...contextWith(), deadline: Date.now() + 100 },
  );
  await answer.next();
  await pause(200);
  const message = 'The answer was not read in time.';
  await expect(Array.fromAsync(answer)).rejects.toMatchObject({ code: 'timeout', message });
});

test('a reading that waits ends when the caller leaves', async () => {
  let error: unknown;
  const answer = readAhead(async (push, taken) => {
    frames.forEach(push);
    await taken().catch((thrown: unknown) => {
      error = thrown;
    });
  }, contextWith());
  await answer.next();
  await answer.return(undefined);
  expect(error).toMatchObject({ code: 'timeout' });
});
