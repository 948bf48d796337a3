import { describe, expect, test } from 'vitest';
import {
  alternating,
  atLeast,
  atMost,
  beside,
  discounted,
  median,
  notMeasured,
  percentile,
  verdict,
} from './measurement.ts';

const named = { row: '1', what: 'listing', unit: 'per second' };

test.each([
  [[3], 3],
  [[9, 1, 5], 5],
  [[4, 1, 2, 3], 2.5],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test.each([
  [99, 99],
  [50, 50],
  [100, 100],
  [0, 1],
])('the %d th percentile of 1 to 100 is %d', (percent, expected) => {
  const values = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect(percentile(values, percent)).toBe(expected);
});

test('median and percentile throw without values', () => {
  expect(() => median([])).toThrow();
  expect(() => percentile([], 99)).toThrow();
});

test('subject and baseline alternate', async () => {
  const order: string[] = [];
  const run = (name: string, figure: number) => async () => {
    order.push(name);
    return figure;
  };
  const runs = await alternating(2, run('subject', 1), run('baseline', 2));
  expect(order).toEqual(['subject', 'baseline', 'subject', 'baseline']);
  expect(runs).toEqual({ subject: [1, 1], baseline: [2, 2] });
});

describe('a goal', () => {
  const reached = atLeast(2, { subject: [30], baseline: [10] }, named);
  test.each([
    ['that is just reached holds', atLeast(0.9, { subject: [90], baseline: [100] }, named), 'holds'],
    ['that is nearly reached does not', atLeast(0.9, { subject: [88], baseline: [100] }, named), 'missed by 2.2 %'],
    ['of half', atLeast(2, { subject: [100], baseline: [100] }, named), 'missed by 50 %'],
    ['of a bound holds at the bound', atMost(25, { subject: [10, 25, 40], baseline: [] }, named), 'holds'],
    ['of a ratio holds below it', atMost(2, { subject: [30], baseline: [20] }, named), 'holds'],
    ['of a ratio is missed above it', atMost(2, { subject: [60], baseline: [20] }, named), 'missed by 50 %'],
    ['of a bound can be missed twofold', atMost(25, { subject: [75], baseline: [] }, named), 'missed by 200 %'],
    ['that is reached by a figure that does not count', discounted(reached, ['not drained']), 'does not count'],
    ['that is reached and counts', discounted(reached, []), 'holds'],
    ['that does not exist', beside({ subject: [7], baseline: [] }, named), 'no goal'],
    ['that does not exist beside a baseline', beside({ subject: [7], baseline: [9] }, named), 'no goal'],
    ['without a figure', notMeasured({ ...named, goal: '<= 100', remark: 'not built' }), 'not measured'],
  ])('%s', (_what, line, expected) => {
    expect(verdict(line)).toBe(expected);
  });
});
