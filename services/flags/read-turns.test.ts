import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { admin, contextOf } from '@yardarm/testing/callers';
import { expect, test } from 'vitest';
import { limitConnections } from './connections.ts';
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
  await Promise.all(Array.from({ length: 10 }, () => turns.of(name).run(context, read)));
  return most;
}

/** Whether a read of the caller runs while another one of its reads, which is large, has not ended. */
async function isQuick(turns: ReadTurns, name: string): Promise<boolean> {
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  const large = turns.of(randomUUID()).run(context, () => held);
  const read = turns.of(name).run(context, async () => true);
  const isBeside = await Promise.race([read, sleep(100, false)]);
  end();
  await Promise.all([large, read]);
  return isBeside;
}

test('quick reads of a caller run one at a time, beside a read that takes long', async () => {
  const turns = new ReadTurns(limitConnections(10));
  expect(await countTogether(turns, 'quick')).toBe(1);
  expect(await countTogether(turns, 'quick')).toBe(1);
  expect(await isQuick(turns, 'quick')).toBe(true);
  await turns.of('long').run(context, () => sleep(100));
  expect(await isQuick(turns, 'long')).toBe(false);
});

test('what the reads of one caller take does not matter for another one', async () => {
  const turns = new ReadTurns(limitConnections(10));
  const other = { ...context, actor: { ...admin, id: 99 } };
  for (const caller of [context, other]) await turns.of('read').run(caller, async () => {});
  await turns.of('read').run(other, () => sleep(100));
  expect(await isQuick(turns, 'read')).toBe(true);
});

test('a request whose reads have become quick is one of the quick reads again', async () => {
  const turns = new ReadTurns(limitConnections(10));
  await turns.of('long').run(context, () => sleep(100));
  expect(await isQuick(turns, 'long')).toBe(false);
  for (let n = 0; n < 10; n += 1) await turns.of('long').run(context, async () => {});
  expect(await isQuick(turns, 'long')).toBe(true);
});

test('a read that fails passes its turn on', async () => {
  const turns = new ReadTurns(limitConnections(10));
  const failing = () => turns.of('failing').run(context, () => Promise.reject(new Error('failed')));
  await Promise.allSettled(Array.from({ length: 5 }, failing));
  expect(await turns.of('failing').run(context, async () => 'read')).toBe('read');
});

test('reads that wait for a quick turn wait for a large one when their request becomes large', async () => {
  const turns = new ReadTurns(limitConnections(10));
  await turns.of('changing').run(context, async () => {});
  await turns.of('other').run(context, async () => {});
  const together = Array.from({ length: 3 }, () => turns.of('changing').run(context, () => sleep(300)));
  await together[0];
  // The first of them was quick. Another one runs now, and a quick read does not wait for it.
  const beganAt = performance.now();
  await turns.of('other').run(context, async () => {});
  expect(performance.now() - beganAt).toBeLessThan(200);
  await Promise.all(together);
});

test('large reads of several callers run one at a time when long reads have one connection', async () => {
  const turns = new ReadTurns(limitConnections(4));
  const callers = [1, 2, 3].map((id) => ({ ...context, actor: { ...admin, id } }));
  let running = 0;
  const read = async () => {
    running += 1;
    await new Promise(setImmediate);
    const together = running;
    running -= 1;
    return together;
  };
  expect(await Promise.all(callers.map((caller) => turns.of('large').run(caller, read)))).toEqual([1, 1, 1]);
});
