import { expect, test } from 'vitest';
import { SendSlots } from './send-slots.ts';

const [quick, slow, unknown] = [1, 2, 3];

test('what is slow or unknown leaves the permits of quick integrations free', () => {
  const slots = new SendSlots({ permits: 4, bytes: 1 }, () => {});
  slots.ended(quick, 20);
  slots.ended(slow, 5_000);
  expect([slots.acquire(3, slow), slots.acquire(3, unknown)]).toEqual([3, 1]);
  expect([slots.isHalfUsed(slow), slots.isHalfUsed(unknown), slots.isHalfUsed(quick)]).toEqual([true, true, false]);
  expect(slots.acquire(5, quick)).toBe(4);
});

test('an integration that has become slow takes its permits with it, also if that is more than there are', () => {
  const freed: number[] = [];
  const slots = new SendSlots({ permits: 4, bytes: 1 }, (integrationIds) => freed.push(...integrationIds));
  slots.ended(quick, 20);
  expect([slots.acquire(3, quick), slots.acquire(3, slow)]).toEqual([3, 3]);
  const [another, one] = [4, 1];
  slots.ended(another, 20);
  expect([slots.acquire(1, another), slots.acquire(1, another)]).toEqual([1, 0]);
  slots.ended(quick, 5_000);
  expect(freed).toEqual([another]);
  expect([slots.acquire(4, another), slots.acquire(1, unknown)]).toEqual([3, 0]);
  slots.release(2, quick);
  expect(slots.acquire(1, unknown)).toBe(0);
  slots.release(one, slow);
  expect(slots.acquire(1, unknown)).toBe(1);
});

test('a short send does not make an integration quick for some minutes after a long one', () => {
  const slots = new SendSlots({ permits: 2, bytes: 1 }, () => {});
  slots.ended(slow, 5_000);
  slots.ended(slow, 20);
  slots.acquire(2, unknown);
  expect(slots.acquire(1, slow)).toBe(0);
});

test('bytes that sends hold are bounded in each pool, and one integration that waits is told when some are free', () => {
  const freed: number[] = [];
  const slots = new SendSlots({ permits: 4, bytes: 100 }, (integrationIds) => freed.push(...integrationIds));
  slots.ended(quick, 20);
  slots.hold(150, slow);
  expect([slots.isOpen(unknown), slots.isOpen(slow), slots.isOpen(quick)]).toEqual([false, false, true]);
  slots.hold(-40, slow);
  expect(freed).toEqual([]);
  slots.hold(-110, slow);
  expect(freed).toEqual([unknown]);
  expect(slots.isOpen(unknown)).toBe(true);
});

test('an integration that has become slow takes its bytes with it', () => {
  const slots = new SendSlots({ permits: 4, bytes: 100 }, () => {});
  slots.ended(quick, 20);
  slots.acquire(1, quick);
  slots.hold(100, quick);
  slots.ended(quick, 5_000);
  expect([slots.isOpen(quick), slots.isOpen(unknown)]).toEqual([false, false]);
  slots.hold(-100, quick);
  slots.release(1, quick);
  expect(slots.isOpen(unknown)).toBe(true);
});
