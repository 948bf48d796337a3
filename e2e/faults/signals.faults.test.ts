// Floods of signals through three gateways with wrong clocks, while gateways and signals are killed. What was accepted
// is stored once, no key is two signals, and no sliding second of createdAt has more signals than the endpoint's rate.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Replica } from './replica.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

/** A gateway's requests are refused when its clock is wrong by more than half a minute. */
const skewsMs = [0, -20_000, 15_000];
const limits = [1, 10, 11, 5_000];

/** Long enough for some twenty deaths. */
const floodMs = 40_000;
const betweenDeathsMs = 1_500;
/** A killed process starts in seconds, on a busy machine in ten. */
const storedLimitMs = 60_000;

let yardarm: Yardarm;

beforeAll(async () => {
  const clock = path.join(import.meta.dirname, 'testing/skewed-clock.ts');
  yardarm = await startYardarm({ gateway: 3, signals: 2, events: 1, integrations: 1, flags: 1 }, (service, number) => ({
    UNLEASH_SIGNAL_ENDPOINTS_LIMIT: '10',
    ...(service === 'gateway' && {
      NODE_OPTIONS: `--import=${clock}`,
      CLOCK_SKEW_MS: String(skewsMs[number - 1]),
    }),
  }));
});
afterAll(() => yardarm?.stop());

interface Sender {
  limit: number;
  endpointId: number;
  path: string;
  token: string;
}

async function makeSender(ratePerSecond: number): Promise<Sender> {
  const name = `at-${ratePerSecond}`;
  const { id } = await yardarm.call('POST', '/api/admin/signal-endpoints', { name, ratePerSecond });
  const issued = await yardarm.call('POST', `/api/admin/signal-endpoints/${id}/tokens`, { name: 'flood' });
  return { limit: ratePerSecond, endpointId: id, path: `/api/signal-endpoint/${name}`, token: issued.token };
}

/** What a sender was answered: the signals that were accepted, by their bodies. */
interface Accepted {
  endpointId: number;
  id: number;
  createdAt: string;
  key: string | null;
  payload: string;
}

let sent = 0;

/** Sends once. Null unless the signal was accepted. */
async function send(sender: Sender, gateway: Replica, key: string | null): Promise<Accepted | null> {
  sent += 1;
  // The body of a key is always the same.
  const payload = JSON.stringify(key === null ? { sent } : { key });
  const headers = { authorization: `Bearer ${sender.token}`, 'content-type': 'application/json' };
  try {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}${sender.path}`, {
      method: 'POST',
      headers: key === null ? headers : { ...headers, 'idempotency-key': key },
      body: payload,
      signal: AbortSignal.timeout(10_000),
    });
    const text = await answer.text();
    if (answer.status !== 200) {
      if (![429, 503, 504].includes(answer.status)) throw new Error(`${answer.status} ${text}`);
      return null;
    }
    const [{ id, createdAt }] = JSON.parse(text).signals;
    return { endpointId: sender.endpointId, id, createdAt, key, payload };
  } catch (error) {
    // The gateway was killed, or is starting.
    if (error instanceof TypeError || (error as Error).name === 'TimeoutError') return null;
    throw error;
  }
}

/** Three connections to each gateway and endpoint; one of them repeats each key until it is accepted four times. */
async function flood(senders: readonly Sender[], until: number): Promise<Accepted[]> {
  const accepted: Accepted[] = [];
  const connections = yardarm.replicasOf('gateway').flatMap((gateway) => {
    return senders.flatMap((sender) => [0, 1, 2].map((connection) => ({ gateway, sender, connection })));
  });
  await Promise.all(
    connections.map(async ({ gateway, sender, connection }) => {
      for (let count = 0; Date.now() < until; ) {
        // The keys are the same at all gateways.
        const key = connection === 0 ? `key-${count >> 2}` : null;
        const answer = await send(sender, gateway, key);
        if (answer) accepted.push(answer);
        if (answer) count += 1;
        else await sleep(10);
      }
    }),
  );
  return accepted;
}

async function killUntil(until: number): Promise<void> {
  const targets = [...yardarm.replicasOf('gateway'), ...yardarm.replicasOf('signals')];
  for (let turn = 0; Date.now() < until; turn += 1) {
    targets[turn % targets.length]!.kill();
    await sleep(betweenDeathsMs);
  }
}

function mostInASecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  return sorted.reduce((most, time, index) => {
    while (time - sorted[first]! >= 1_000) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

test('what is accepted is stored once, within the rate, whatever is killed', async () => {
  const senders = await Promise.all(limits.map(makeSender));
  const until = Date.now() + floodMs;
  const [accepted] = await Promise.all([flood(senders, until), killUntil(until)]);
  await yardarm.untilReady();

  const rows = () =>
    yardarm.database.rows<{ id: string; endpoint_id: number; payload: string; created_at: Date }>(
      'select id, endpoint_id, payload, created_at from signals.signals',
    );
  // The consumers store what is left.
  const stored = await eventually(async () => {
    const byId = new Map((await rows()).map((row) => [Number(row.id), row]));
    for (const { id } of accepted) if (!byId.has(id)) throw new Error(`the signal ${id} is not stored yet`);
    return byId;
  }, storedLimitMs);

  for (const { id, endpointId, createdAt, payload } of accepted) {
    expect(stored.get(id)).toMatchObject({ endpoint_id: endpointId, payload, created_at: new Date(createdAt) });
  }
  const byBody = Map.groupBy([...stored.values()], ({ endpoint_id, payload }) => `${endpoint_id} ${payload}`);
  for (const [body, same] of byBody) expect([body, same.length]).toEqual([body, 1]);
  for (const { limit, endpointId } of senders) {
    const times = [...stored.values()].filter((row) => row.endpoint_id === endpointId).map((row) => +row.created_at);
    expect(mostInASecond(times)).toBeLessThanOrEqual(limit);
    const ofEndpoint = accepted.filter((each) => each.endpointId === endpointId);
    const deaths = yardarm.replicas.reduce((sum, replica) => sum + replica.deaths, 0);
    process.stdout.write(
      `at ${limit}: ${ofEndpoint.length} answers, ${times.length} stored, ${mostInASecond(times)} in a second, ${deaths} deaths\n`,
    );
    expect(ofEndpoint.length).toBeGreaterThan(0);
  }
});
