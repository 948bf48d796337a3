import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGatherer } from './gather.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const flag = (n: number) => ['feature', 'default', `flag-${n}`];

test('the first call of a burst does not wait; the others come together, each key once, at most once in a window', () => {
  const flushed: unknown[] = [];
  const gather = createGatherer(100, (keys) => flushed.push(keys));
  gather([flag(1), ['features']]);
  gather([flag(2), ['features']]);
  gather([flag(2), flag(3)]);
  expect(flushed).toEqual([[flag(1), ['features']]]);
  vi.advanceTimersByTime(100);
  expect(flushed.slice(1)).toEqual([[flag(2), ['features'], flag(3)]]);
  gather([flag(4)]);
  expect(flushed).toHaveLength(2);
  vi.advanceTimersByTime(100);
  expect(flushed.slice(2)).toEqual([[flag(4)]]);
  vi.advanceTimersByTime(100);
  gather([flag(5)]);
  expect(flushed.slice(3)).toEqual([[flag(5)]]);
});

test('an event that changes nothing that is shown opens no window', () => {
  const flushed: unknown[] = [];
  const gather = createGatherer(100, (keys) => flushed.push(keys));
  gather([]);
  gather([flag(1)]);
  expect(flushed).toEqual([[flag(1)]]);
});
