import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

it('gives no more permits than it has, and knows when half of them are in use', () => {
  const slots = new Semaphore(4, () => {});
  expect([slots.acquire(1, 1), slots.isHalfUsed]).toEqual([1, false]);
  expect([slots.acquire(1, 1), slots.isHalfUsed]).toEqual([1, true]);
  expect([slots.acquire(9, 1), slots.acquire(9, 1), slots.acquire(-1, 1)]).toEqual([2, 0, 0]);
});

it('passes on the callers that got none, each once, when a permit is free', () => {
  const freed: number[][] = [];
  const slots = new Semaphore(2, (callers) => freed.push(callers));
  const [gotSome, gotNone, gotNoneEither, askedForNone] = [1, 2, 3, 4];
  slots.acquire(9, gotSome);
  slots.acquire(1, gotNone);
  slots.acquire(1, gotNoneEither);
  slots.acquire(1, gotNone);
  slots.acquire(0, askedForNone);
  slots.release(0);
  expect(freed).toEqual([]);
  slots.release(1);
  slots.release(1);
  expect(freed).toEqual([[gotNone, gotNoneEither]]);
});
