import { expect, test } from 'vitest';
import { type Footprint, growthOf, violationsOfGrowth } from './footprint.ts';

const minuteMs = 60_000;
const hour = (figures: (minute: number) => Omit<Footprint, 'atMs'>): Footprint[] =>
  Array.from({ length: 61 }, (_, minute) => ({ atMs: minute * minuteMs, ...figures(minute) }));

test('a run without two windows has no growth', () => {
  expect(growthOf([])).toBeNull();
  expect(growthOf(hour(() => ({ bytes: 1, handles: 1 })).slice(0, 15))).toBeNull();
});

test('buffers that come and go, and caches that fill in the first ten minutes, are no growth', () => {
  const samples = hour((minute) => ({ bytes: minute < 10 ? 50 : 100 + (minute % 4) * 50, handles: 20 + (minute % 3) }));
  expect(violationsOfGrowth('flags 1', growthOf(samples)!)).toEqual([]);
});

test('memory and handles that grow steadily are found', () => {
  const samples = hour((minute) => ({ bytes: 1_000 + 10 * minute, handles: 20 + minute }));
  expect(violationsOfGrowth('flags 1', growthOf(samples)!)).toEqual([
    'flags 1 has grown from 1100 to 1550 bytes',
    'flags 1 had 30 handles open and has 75',
  ]);
});
