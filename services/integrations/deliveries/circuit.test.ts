import { describe, expect, it } from 'vitest';
import { afterCall, type Circuit, circuitState, hasFailedTooLong } from './circuit.ts';

const nowMs = Date.parse('2026-03-01T12:00:00Z');
const at = (offsetMs: number) => new Date(nowMs + offsetMs);
const closed = (failures = 0): Circuit => ({
  failures,
  failingSince: failures === 0 ? null : at(-1),
  pausedUntil: null,
});
const open: Circuit = { failures: 9, failingSince: at(-60_000), pausedUntil: at(1) };
const halfOpen = (failures = 9): Circuit => ({ failures, failingSince: at(-60_000), pausedUntil: at(0) });
const failed = (circuit: Circuit, { askedMs = 0, random = 0 } = {}) =>
  afterCall(circuit, { succeeded: false, askedMs }, { random, nowMs });
const succeeded = (circuit: Circuit) => afterCall(circuit, { succeeded: true, askedMs: 0 }, { random: 0, nowMs });

it('is closed without a pause, open while it lasts, half-open when it is over', () => {
  expect([closed(4), open, halfOpen()].map((circuit) => circuitState(circuit, nowMs))).toEqual([
    'closed',
    'open',
    'half-open',
  ]);
});

describe('a failure', () => {
  it.each([0, 1, 4, 7])('after %i in a row is counted', (failures) => {
    expect(failed(closed(failures))).toEqual({ failures: failures + 1, pauseMs: null });
  });

  it('that is the ninth in a row opens it, for ten seconds and at most a tenth more', () => {
    expect(failed(closed(8))).toEqual({ failures: 9, pauseMs: 10_000 });
    expect(failed(closed(8), { random: 1 })).toEqual({ failures: 9, pauseMs: 11_000 });
  });

  it.each([
    [9, 20_000],
    [10, 40_000],
    [13, 300_000],
    [5_000, 300_000],
  ])('of the probe after %i opens it again, for %i ms', (failures, pauseMs) => {
    expect(failed(halfOpen(failures))).toEqual({ failures: failures + 1, pauseMs });
  });

  it('while it is open changes nothing', () => {
    expect(failed(open)).toBe('stays');
  });

  it('with Retry-After opens it at once, for that time but at most an hour', () => {
    expect(failed(closed(), { askedMs: 90_000 })).toEqual({ failures: 1, pauseMs: 90_000 });
    expect(failed(closed(), { askedMs: 1_000 })).toEqual({ failures: 1, pauseMs: 10_000 });
    expect(failed(closed(), { askedMs: 86_400_000 })).toEqual({ failures: 1, pauseMs: 3_600_000 });
  });
});

describe('a success', () => {
  it('closes it in any state', () => {
    expect([closed(1), open, halfOpen()].map(succeeded)).toEqual(['closes', 'closes', 'closes']);
  });

  it('of a healthy endpoint changes nothing', () => {
    expect(succeeded(closed())).toBe('stays');
  });
});

it('the endpoint has failed too long when the limit has passed since the first failure', () => {
  const limit = { limitMs: 60_000, nowMs };
  expect(hasFailedTooLong(open, limit)).toBe(true);
  expect(hasFailedTooLong({ ...open, failingSince: at(-59_999) }, limit)).toBe(false);
  expect(hasFailedTooLong(closed(), limit)).toBe(false);
});
