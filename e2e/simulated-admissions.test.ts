// Both sides of admissions together, in simulated time: gateways with late calls and wrong clocks that are replaced by
// new ones, and the ledger. The same code runs in the services, where Postgres stores the ledger.
import { AdmissionPool, type RequestBlock } from '@yardarm/gateway/admission-pool';
import { decide, type Ledger } from '@yardarm/signals/ledger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { seeded } from './faults/seeded.ts';

const noon = 1_800_000_000_000;
const context = { requestId: 'simulated', actor: null, deadline: Number.MAX_SAFE_INTEGER, traceparent: null };
let random: () => number;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  random = seeded(1);
});
afterEach(() => vi.useRealTimers());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The ledger, which answers each call after up to `maxMs` on each way. */
function signalsOf(limit: number, maxMs: number): { ask: RequestBlock; calls: number[] } {
  let ledger: Ledger = { blocks: [], lastAt: 0 };
  let nextId = 1;
  const calls: number[] = [];
  return {
    calls,
    async ask({ wanted, ...demand }) {
      calls.push(performance.now());
      await pause(random() * maxMs);
      const decision = decide(ledger, noon + Math.floor(performance.now()), { ...demand, requested: wanted, limit });
      const { at, blocks, granted, retryAfterMs } = decision;
      const ids = Array.from({ length: granted?.count ?? 0 }, () => nextId++);
      ledger = { blocks: granted ? [...blocks, { id: ids[0]!, ...granted }] : blocks, lastAt: at };
      await pause(random() * maxMs);
      const lease = granted && { ids, grantedAt: at, lifetimeMs: granted.endsAt - at };
      return { limit, lease, retryAfterMs };
    },
  };
}

interface Admitted {
  id: number;
  createdAt: number;
}

/** Sends so many a second for ten seconds to three gateways. With `isKilling` a gateway is replaced each 100 ms. */
async function flood(perSecond: number, ask: RequestBlock, isKilling: boolean): Promise<Admitted[]> {
  const gatewayOf = (): AdmissionPool => {
    const offMs = (random() - 0.5) * 1e9;
    return new AdmissionPool(ask, () => performance.now() + offMs);
  };
  const gateways = Array.from({ length: 3 }, gatewayOf);
  const admitted: Admitted[] = [];
  const perMs = perSecond / 1_000;
  let due = 0;
  for (let ms = 0; ms < 10_000; ms += 1) {
    if (isKilling && ms % 100 === 0) gateways[Math.floor(random() * 3)] = gatewayOf();
    for (due += perMs; due >= 1; due -= 1) {
      const gateway = gateways[Math.floor(random() * 3)]!;
      const take = async () => admitted.push(await gateway.take({ tokenId: 1, context }));
      take().catch(() => undefined);
    }
    await vi.advanceTimersByTimeAsync(1);
  }
  return admitted;
}

function mostInASecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  return sorted.reduce((most, time, index) => {
    while (time - sorted[first]! >= 1_000) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

test.each([
  [1, 5, false],
  [10, 5, false],
  [11, 5, false],
  [500, 5, false],
  [5_000, 5, false],
  [5_000, 20, false],
  [1, 5, true],
  [10, 5, true],
  [11, 40, true],
  [5_000, 40, true],
])('at %i a second, calls late by up to %i ms, killed: %s: no second has more', async (limit, maxMs, isKilling) => {
  const { ask, calls } = signalsOf(limit, maxMs);
  const admitted = await flood(Math.max(3 * limit, 200), ask, isKilling);
  const times = admitted.map(({ createdAt }) => createdAt);
  expect(mostInASecond(times)).toBeLessThanOrEqual(limit);
  expect(new Set(admitted.map(({ id }) => id)).size).toBe(admitted.length);
  if (isKilling) return;
  // Under saturation at least 95 % of the limit is admitted.
  expect(times.filter((time) => time < noon + performance.now()).length).toBeGreaterThanOrEqual(0.95 * 10 * limit);
  expect(mostInASecond(calls)).toBeLessThanOrEqual(3 * Math.min(limit + 2, 40));
});

test.each([
  [5_000, 5],
  [500, 5],
  [100, 5],
])(
  'at %i a second, calls late by up to %i ms: a tenth more than the limit gets 95 percent of it',
  async (limit, maxMs) => {
    const { ask } = signalsOf(limit, maxMs);
    const times = (await flood(1.1 * limit, ask, false)).map(({ createdAt }) => createdAt);
    expect(mostInASecond(times)).toBeLessThanOrEqual(limit);
    // Without the first second, in which the gateways find out how many come.
    const measured = times.filter((time) => time >= noon + 1_000 && time < noon + 9_000);
    expect(measured.length).toBeGreaterThanOrEqual(0.95 * 8 * limit);
  },
);
