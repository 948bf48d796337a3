import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

const noop = () => {};

it('gives no more permits than it has, and knows when half of them are in use', () => {
  const slots = new Semaphore(4);
  expect([slots.acquire(1, noop), slots.isHalfUsed]).toEqual([1, false]);
  expect([slots.acquire(1, noop), slots.isHalfUsed]).toEqual([1, true]);
  expect([slots.acquire(9, noop), slots.acquire(9, noop), slots.acquire(-1, noop)]).toEqual([2, 0, 0]);
});

it('calls a caller that got none once, when a permit is free', () => {
  const slots = new Semaphore(2);
  const called: string[] = [];
  slots.acquire(9, () => called.push('got some'));
  slots.acquire(1, () => called.push('got none'));
  slots.acquire(0, () => called.push('asked for none'));
  slots.release(0);
  expect(called).toEqual([]);
  slots.release(1);
  slots.release(1);
  expect(called).toEqual(['got none']);
});
