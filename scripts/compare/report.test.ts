import { expect, test } from 'vitest';
import type { Difference } from './differences.ts';
import { type KnownDifference, report } from './report.ts';

const difference: Difference = { kind: 'status', request: 'GET /x', at: '', yardarm: '404', peer: '200' };
const known: KnownDifference = { kind: 'status', request: /^GET \/x$/, peer: /^200$/, reason: 'a reason' };

test('a known difference is counted under its reason', () => {
  const { lines, unknown } = report([difference, difference], [known], { all: false });
  expect(unknown).toBe(0);
  expect(lines).toContain('     2  a reason');
  expect(lines.join()).not.toContain('GET /x');
});

test('with --all each known difference is printed', () => {
  const { lines } = report([difference], [known], { all: true });
  expect(lines).toContain('          GET /x: Yardarm 404, unleash-server 200');
});

test.each<[string, Partial<Difference>]>([
  ['another kind', { kind: 'headers' }],
  ['another request', { request: 'GET /xy' }],
  ['another answer of unleash-server', { peer: '500' }],
])('a difference with %s is unknown and printed', (_, change) => {
  const { lines, unknown } = report([{ ...difference, ...change }], [known], { all: false });
  expect(unknown).toBe(1);
  expect(lines.join('\n')).toContain('UNKNOWN');
  expect(lines.at(-1)).toBe('  status: a reason');
});
