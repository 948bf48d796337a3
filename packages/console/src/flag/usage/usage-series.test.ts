import { expect, test } from 'vitest';
import { usageInWords, usageSeries } from './usage-series.ts';

const now = Date.parse('2026-11-26T12:40:00.000Z');
const row = (timestamp: string, yes: number, no: number, appName = 'shop') => ({
  ...{ featureName: 'checkout', appName, environment: 'production', timestamp, yes, no, variants: {} },
});
const shown = (points: { at: number; yes: number; no: number }[]) =>
  points.map(({ at, yes, no }) => [new Date(at).toISOString(), yes, no]);

test('each hour up to now has a point, with the sum of the applications', () => {
  const rows = [row('2026-11-26T11:00:00.000Z', 3, 1), row('2026-11-26T11:00:00.000Z', 4, 0, 'mail')];
  expect(shown(usageSeries(rows, 3, now))).toEqual([
    ['2026-11-26T10:00:00.000Z', 0, 0],
    ['2026-11-26T11:00:00.000Z', 7, 1],
    ['2026-11-26T12:00:00.000Z', 0, 0],
  ]);
});

test('a longer time has a point for each day in UTC', () => {
  const points = usageSeries([row('2026-11-24T00:00:00.000Z', 5, 2)], 72, now);
  expect(shown(points)).toEqual([
    ['2026-11-24T00:00:00.000Z', 5, 2],
    ['2026-11-25T00:00:00.000Z', 0, 0],
    ['2026-11-26T00:00:00.000Z', 0, 0],
  ]);
});

test('a row before the time is not lost', () => {
  const points = usageSeries([row('2026-11-26T09:00:00.000Z', 5, 2)], 2, now);
  expect(points).toHaveLength(4);
  expect(points[0]).toMatchObject({ yes: 5, no: 2 });
});

test('the words have the sums and the most', () => {
  const format = (at: number) => new Date(at).toISOString().slice(11, 16);
  const rows = [row('2026-11-26T10:00:00.000Z', 900, 10), row('2026-11-26T11:00:00.000Z', 1000, 40)];
  expect(usageInWords(usageSeries(rows, 3, now), format, 'hour')).toBe(
    '1,900 times on and 50 times off. Most in the hour of 11:00, with 1,040.',
  );
  expect(usageInWords(usageSeries([], 3, now), format, 'hour')).toBe('No SDK has evaluated it in this time.');
});
