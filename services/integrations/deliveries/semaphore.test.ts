import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

const nobody = () => {};

it('gives no more permits than it has, and says when half of them are taken', () => {
  const slots = new Semaphore(4);
  expect([slots.take(1, nobody), slots.isHalfTaken]).toEqual([1, false]);
  expect([slots.take(1, nobody), slots.isHalfTaken]).toEqual([1, true]);
  expect([slots.take(9, nobody), slots.take(9, nobody), slots.take(-1, nobody)]).toEqual([2, 0, 0]);
});

it('calls who got none when one is free, once, and nobody else', () => {
  const slots = new Semaphore(2);
  const called: string[] = [];
  slots.take(9, () => called.push('got some'));
  slots.take(1, () => called.push('got none'));
  slots.take(0, () => called.push('asked for none'));
  slots.release(0);
  expect(called).toEqual([]);
  slots.release(1);
  slots.release(1);
  expect(called).toEqual(['got none']);
});
