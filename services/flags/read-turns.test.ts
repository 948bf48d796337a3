import { setTimeout as sleep } from 'node:timers/promises';
import { admin, contextOf } from '@yardarm/testing/callers';
import { expect, test } from 'vitest';
import { ReadTurns } from './read-turns.ts';

const context = { ...contextOf(admin), deadline: Number.POSITIVE_INFINITY, log: null as never };

/** Begins ten reads at once, and returns how many of them run together. */
async function countTogether(turns: ReadTurns, name: string): Promise<number> {
  let running = 0;
  let most = 0;
  const read = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, () => turns.run(name, context, read)));
  return most;
}

test('quick reads run two at once, and requests that have taken long three, with the lists of flags', async () => {
  const turns = new ReadTurns();
  expect(await countTogether(turns, 'quick')).toBe(3);
  expect(await countTogether(turns, 'quick')).toBe(2);
  // The place rests for its caller alone.
  await turns.run('long', { ...context, actor: { ...admin, id: 99 } }, () => sleep(100));
  expect(await countTogether(turns, 'long')).toBe(3);
  expect(await countTogether(turns, 'quick')).toBe(2);
});

test('a request whose reads have become quick is one of the quick reads again', async () => {
  const turns = new ReadTurns();
  await turns.run('long', context, () => sleep(100));
  for (let n = 0; n < 10; n += 1) await turns.run('long', context, async () => {});
  expect(await countTogether(turns, 'long')).toBe(2);
});

test('a read that fails passes its turn on', async () => {
  const turns = new ReadTurns();
  const failing = () => turns.run('failing', context, () => Promise.reject(new Error('failed')));
  await Promise.allSettled(Array.from({ length: 5 }, failing));
  expect(await turns.run('failing', context, async () => 'read')).toBe('read');
});

test('reads that wait for a quick turn wait for a large one when their request becomes large', async () => {
  const turns = new ReadTurns();
  await turns.run('changing', context, async () => {});
  const together = Array.from({ length: 4 }, () => turns.run('changing', context, () => sleep(400)));
  await Promise.all(together.slice(0, 2));
  // Two of them were quick. The others run beside three, of which a quick read does not have to wait for one.
  const beganAt = performance.now();
  for (let n = 0; n < 2; n += 1) await turns.run('other', context, async () => {});
  expect(performance.now() - beganAt).toBeLessThan(300);
  await Promise.all(together);
});
