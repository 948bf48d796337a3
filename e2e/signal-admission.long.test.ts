// The rate of an endpoint over three gateways under floods, with and without keys. Requests for admissions arrive late
// and in another order, as from gateways that are far away.
import { connectBus } from '@yardarm/shared/bus';
import { claimKey, findKey, takeAdmissions } from '@yardarm/shared/contracts/signals';
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let gateways: string[];
/** The times of the calls to signals, by gateway and endpoint. */
let calls: { gateway: number; endpointId: number; at: number }[] = [];

/** A connection whose requests for admissions, and their answers, are late by up to `maxMs`. */
function lateBus(gateway: number, maxMs: number): typeof connectBus {
  const late = () => new Promise((resolve) => setTimeout(resolve, Math.random() * maxMs));
  return async (options) => {
    const bus = await connectBus(options);
    return {
      ...bus,
      async request(contract, input, context) {
        const isBlock = contract.name === takeAdmissions.name;
        const isLate = isBlock || contract.name === claimKey.name || contract.name === findKey.name;
        if (!isLate) return bus.request(contract, input, context);
        const { endpointId } = input as { endpointId: number };
        if (isBlock) calls.push({ gateway, endpointId, at: performance.now() });
        await late();
        const answer = await bus.request(contract, input, context);
        await late();
        return answer;
      },
    };
  };
}

beforeAll(async () => {
  system = await startSystem({ UNLEASH_SIGNAL_ENDPOINTS_LIMIT: '20' });
  gateways = await Promise.all(
    // One near, one far, and one whose answers often come after the lifetime of a block.
    [0, 10, 40].map((maxMs, gateway) => system.addGateway({ connectBus: lateBus(gateway, maxMs) })),
  );
});
afterAll(() => system?.stop());

async function makeSender(ratePerSecond: number): Promise<{ endpointId: number; path: string; token: string }> {
  const name = `at-${ratePerSecond}-${Math.random().toString(36).slice(2)}`;
  const { body } = await system.call('POST', '/api/admin/signal-endpoints', { body: { name, ratePerSecond } });
  const tokens = `/api/admin/signal-endpoints/${body.id}/tokens`;
  const issued = await system.call('POST', tokens, { body: { name: 'flood' } });
  return { endpointId: body.id, path: `/api/signal-endpoint/${name}`, token: `Bearer ${issued.body.token}` };
}

interface Accepted {
  id: number;
  createdAt: number;
  key: string | undefined;
}

/** Sends to all gateways for a time, without pauses. Returns what was accepted and the statuses of the rest. */
async function flood(
  { path, token }: { path: string; token: string },
  ms: number,
  keyOf: (turn: number) => string | undefined,
): Promise<{ accepted: Accepted[]; refusals: Set<string> }> {
  const accepted: Accepted[] = [];
  const refusals = new Set<string>();
  const end = performance.now() + ms;
  const sendTo = async (url: string) => {
    for (let turn = 0; performance.now() < end; turn += 1) {
      const key = keyOf(turn);
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
      const { status, body, headers: answered } = await system.call('POST', path, { url, token, body: {}, headers });
      if (status !== 200) refusals.add(`${status} after ${answered.get('retry-after')}`);
      else accepted.push({ id: body.signals[0].id, createdAt: Date.parse(body.signals[0].createdAt), key });
    }
  };
  await Promise.all(gateways.flatMap((url) => Array.from({ length: 8 }, () => sendTo(url))));
  return { accepted, refusals };
}

/** The most of these times in any sliding second, or in another time. */
function mostIn(times: readonly number[], ms = 1_000): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  return sorted.reduce((most, time, index) => {
    while (time - sorted[first]! >= ms) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

/** A call is noted a little later than the gateway notes it, the first more than the last. */
const measuredMs = 950;
const mostCalls = (some: readonly { at: number }[]) =>
  mostIn(
    some.map(({ at }) => at),
    measuredMs,
  );
const maxCalls = (limit: number) => Math.min(limit + 2, 40);

const floods = [
  { limit: 1, kind: 'without keys' },
  { limit: 10, kind: 'without keys' },
  { limit: 11, kind: 'without keys' },
  { limit: 5_000, kind: 'without keys' },
  { limit: 1, kind: 'with keys' },
  { limit: 10, kind: 'with keys' },
  { limit: 11, kind: 'with keys' },
  { limit: 5_000, kind: 'with keys' },
  { limit: 10, kind: 'with one key in two' },
  { limit: 5_000, kind: 'with one key in two' },
  { limit: 1, kind: 'beside one key that repeats' },
  { limit: 10, kind: 'beside one key that repeats' },
];

test.each(floods)(
  'at $limit a second a flood $kind exceeds no sliding second, and no id is of two signals',
  async ({ limit, kind }) => {
    calls = [];
    const sender = await makeSender(limit);
    // A key is sent four times by each connection, so to all gateways at once.
    const keyOf = (turn: number) => {
      if (kind === 'without keys' || (kind !== 'with keys' && turn % 2)) return undefined;
      return kind === 'beside one key that repeats' ? 'same' : `k${turn >> 2}`;
    };
    const { accepted, refusals } = await flood(sender, 3_000, keyOf);

    // Answers with one key are one signal.
    const signals = new Map(accepted.map((signal) => [signal.id, signal]));
    for (const { id, createdAt, key } of accepted) {
      expect(signals.get(id)).toMatchObject({ createdAt, key });
    }
    const ofKeys = Map.groupBy([...signals.values()], ({ key }) => key);
    for (const [key, same] of ofKeys) if (key !== undefined) expect(same).toHaveLength(1);
    if (kind === 'without keys') expect(signals.size).toBe(accepted.length);
    expect(mostIn([...signals.values()].map(({ createdAt }) => createdAt))).toBeLessThanOrEqual(limit);
    // There are fewer keys than admissions. A key that repeats leaves two seconds' worth and more to the others.
    const least = kind === 'beside one key that repeats' ? 2 * limit : Math.min(limit, 11);
    expect(signals.size).toBeGreaterThanOrEqual(kind === 'with keys' ? 1 : least);
    // An open block counts for a second and its lifetime.
    for (const refusal of refusals) expect(refusal).toMatch(/^429 after [12]$/);

    for (const gateway of gateways.keys()) {
      const own = calls.filter((call) => call.gateway === gateway && call.endpointId === sender.endpointId);
      expect(mostCalls(own)).toBeLessThanOrEqual(maxCalls(limit));
    }
    if (limit === 1) expect(mostCalls(calls)).toBeLessThan(10);

    await system.processAll();
    const stored = await system.database.rows<{ id: string }>('select id from signals.signals where endpoint_id = $1', [
      sender.endpointId,
    ]);
    expect(stored.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual([...signals.keys()].sort((a, b) => a - b));
  },
);
