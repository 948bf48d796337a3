import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CostlyTurns } from './costly-turns.ts';

const [one, two, three, cheap] = [1, 2, 3, 4];
const freed: number[] = [];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  freed.length = 0;
});

/** The integrations one, two and three are costly, and a rest of 20 ms begins. */
function startTurns(): CostlyTurns {
  const turns = new CostlyTurns((callers) => freed.push(...callers));
  for (const caller of [one, two, three]) turns.took(caller, 20);
  return turns;
}

test('costly messages rest as long as the one before took, and others do not wait', () => {
  const turns = startTurns();
  vi.advanceTimersByTime(19);
  expect([turns.isOpen(one), turns.isOpen(cheap)]).toEqual([false, true]);
  vi.advanceTimersByTime(1);
  expect(freed).toEqual([one]);
  expect(turns.isOpen(one)).toBe(true);
});

test('one integration has the turn, and the next one is told after its rest', () => {
  const turns = startTurns();
  vi.advanceTimersByTime(20);
  expect([one, two, three, one].map((caller) => turns.isOpen(caller))).toEqual([true, false, false, true]);
  turns.took(one, 30);
  expect(turns.isOpen(one)).toBe(false);
  vi.advanceTimersByTime(100);
  expect(freed[0]).toBe(two);
  expect(turns.isOpen(two)).toBe(true);
});

test('a turn without a message ends by itself', () => {
  const turns = startTurns();
  vi.advanceTimersByTime(20);
  expect([turns.isOpen(one), turns.isOpen(two)]).toEqual([true, false]);
  vi.advanceTimersByTime(100);
  expect(freed).toEqual([two]);
  expect(turns.isOpen(two)).toBe(true);
});

test('an integration that has become cheap does not wait any more', () => {
  const turns = startTurns();
  turns.took(one, 1);
  expect(turns.isOpen(one)).toBe(true);
});
