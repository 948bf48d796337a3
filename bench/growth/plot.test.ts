import { expect, test } from 'vitest';
import { niceAbove, svgOf } from './plot.ts';

const curve = {
  ...{ name: 'a', title: 'CPU < wall', x: 'flags', unit: 'ms', baseline: 'the same with 100' },
  points: [100, 1_000, 10_000].map((x, n) => ({ x, figure: 10 + n, baseline: 10 })),
};

test('a plot has both lines, at equal distances over a logarithmic axis, in light and dark', () => {
  const svg = svgOf(curve, '2026-11-25');
  const xs = [...svg.matchAll(/<circle class="figure" cx="([\d.]+)"/g)].map(([, cx]) => Number(cx));
  expect(xs).toEqual([70, 345, 620]);
  expect(svg.match(/<circle class="baseline"/g)).toHaveLength(3);
  expect(svg).toContain('@media (prefers-color-scheme: dark)');
  expect(svg).toContain('CPU &lt; wall, ms');
  expect(svg).not.toContain('NaN');
});

test('points within a factor of 50 are over a linear axis', () => {
  const points = [1, 2, 5].map((x) => ({ x, figure: x, baseline: 1 }));
  const svg = svgOf({ ...curve, points }, '');
  const xs = [...svg.matchAll(/<circle class="figure" cx="([\d.]+)"/g)].map(([, cx]) => Number(cx));
  expect(xs).toEqual([70, 207.5, 620]);
});

test.each([
  [0.7, 0.8],
  [13, 20],
  [20, 20],
  [4_100, 6_000],
  [0, 1],
])('the axis for %d ends at %d', (value, end) => {
  expect(niceAbove(value)).toBeCloseTo(end);
});
