// Proves that no wake-up is lost, and the delays after several failures in a row.
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { backoff, pause, WakeUp } from './index.ts';

/** A wait that does not end fails the test by its time limit. */
const foreverMs = 2 ** 31 - 1;

test('a wake-up ends the current wait', async () => {
  const wakeUp = new WakeUp();
  const waiting = wakeUp.wait(foreverMs);
  wakeUp.wake();
  await waiting;
});

test('several wake-ups before a wait end that wait at once, and no later one', async () => {
  const wakeUp = new WakeUp();
  wakeUp.wake();
  wakeUp.wake();
  await wakeUp.wait(foreverMs);
  let hasEnded = false;
  const second = wakeUp.wait(foreverMs).then(() => {
    hasEnded = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasEnded).toBe(false);
  wakeUp.wake();
  await second;
});

test('a wait ends when its time has passed or its signal aborts, before it or during it', async () => {
  await new WakeUp().wait(1);
  await new WakeUp().wait(foreverMs, AbortSignal.abort());
  await new WakeUp().wait(foreverMs, AbortSignal.timeout(1));
  await pause(1);
  await pause(foreverMs, AbortSignal.timeout(1));
});

test('a wait leaves no listener on its signal', async () => {
  const { signal } = new AbortController();
  await pause(1, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([
  [0, 100],
  [1, 100],
  [2, 200],
  [3, 400],
  [4, 500],
  [2_000, 500],
])('after failure %i in a row the delay is %i ms', (failures, delayMs) => {
  expect(backoff(failures, { firstMs: 100, maxMs: 500 })).toBe(delayMs);
  expect(backoff(failures, { firstMs: 100, maxMs: 500 }, 0.5)).toBe(delayMs / 2);
});
