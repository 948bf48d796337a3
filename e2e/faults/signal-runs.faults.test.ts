// Tests promise 3: a sender sends signals at a steady rate while processes, NATS and Postgres crash in every way.
// Afterwards every accepted signal is stored once and has one run. flags has the effect of each step once, in order.
//
//   FAULTS_SEED=<seed>   the order of the faults of an earlier run; the timing still depends on the machine
import { eventually } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signalFaults } from './faults.ts';
import { faultsOptions } from './options.ts';
import { seeded } from './seeded.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

const project = '/api/admin/projects/default';
const environment = 'production';
const flags = ['first', 'second'];
const sentEveryMs = 100;
/** A lease expires within 5 s. On a busy machine a process takes 10 s to start. */
const recoveryLimitMs = 60_000;
/** The faults leave some hundred runs, and a machine with a load of 13 ends seven in a second. */
const drainLimitMs = 180_000;
/** A fault waits for so many accepted signals, as a sign that the path works again. */
const accepted = 5;

const { seed } = faultsOptions();
const random = seeded(seed);
let yardarm: Yardarm;
let client: pg.Client;

beforeAll(async () => {
  yardarm = await startYardarm({ signals: 2, integrations: 0 });
});

afterAll(async () => {
  await client?.end();
  await yardarm?.stop();
});

async function createFlagsAndSet(endpointId: number): Promise<void> {
  for (const name of flags) {
    await yardarm.call('POST', `${project}/features`, { name });
    const strategy = { name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'default', groupId: name } };
    await yardarm.call('POST', `${project}/features/${name}/environments/${environment}/strategies`, strategy);
  }
  const account = await yardarm.call('POST', '/api/admin/service-account', {
    ...{ username: 'signals', name: 'signals', rootRole: 1 },
  });
  await yardarm.call('POST', `${project}/actions`, {
    ...{ name: 'rollouts', actorId: account.id },
    match: { source: 'signal-endpoint', sourceId: endpointId, payload: {} },
    actions: flags.map((featureName, index) => ({
      ...{ action: 'SET_ROLLOUT', sortOrder: index + 1 },
      executionParams: { project: 'default', environment, featureName, rollout: '{{payload.rollout}}' },
    })),
  });
}

/** Each signal sets another rollout than the one before, so that each step has an effect. */
function startSender(token: string) {
  const ids: number[] = [];
  let isStopped = false;
  const running = (async () => {
    for (let n = 0; !isStopped; n += 1) {
      const answer = await fetch(`${yardarm.url()}/api/signal-endpoint/alerts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ rollout: n % 100 }),
        signal: AbortSignal.timeout(5_000),
      }).catch(() => null);
      if (answer?.status === 200) ids.push(((await answer.json()) as { signals: { id: number }[] }).signals[0]!.id);
      await new Promise((resolve) => setTimeout(resolve, sentEveryMs));
    }
  })();
  return {
    ids,
    async untilAccepted(count: number) {
      const target = ids.length + count;
      await eventually(() => expect(ids.length).toBeGreaterThanOrEqual(target), recoveryLimitMs);
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

const rowsOf = async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows;

test('every accepted signal is stored once, runs the set once, and has each effect once, in order, despite crashes', async () => {
  process.stdout.write(`seed ${seed} (FAULTS_SEED=${seed} repeats the order)\n`);
  const endpoint = await yardarm.call('POST', '/api/admin/signal-endpoints', { name: 'alerts', ratePerSecond: 100 });
  const { token } = await yardarm.call('POST', `/api/admin/signal-endpoints/${endpoint.id}/tokens`, { name: 'sender' });
  await createFlagsAndSet(endpoint.id);
  const sender = startSender(token);
  const errors: string[] = [];
  for (const fault of signalFaults(yardarm, random)) {
    await sender.untilAccepted(accepted).catch((error: Error) => errors.push(error.message));
    await fault.cause().catch((error: Error) => errors.push(error.message));
    process.stdout.write(`${String(sender.ids.length).padStart(5)} accepted  ${fault.name}\n`);
  }
  await sender.untilAccepted(accepted);
  await sender.stop();
  await yardarm.untilReady();

  client = new pg.Client({ connectionString: yardarm.database.ownerUrl });
  await client.connect();
  const unfinished = 'select id from signals.action_runs where finished_at is null';
  await eventually(async () => {
    const stored = (await rowsOf<{ id: string }>('select id from signals.signals')).map(({ id }) => Number(id));
    expect(stored).toEqual(expect.arrayContaining(sender.ids));
    const untaken =
      'select id from signals.signals s where not exists (select from signals.action_runs where signal_id = s.id)';
    expect([await rowsOf(unfinished), await rowsOf(untaken)]).toEqual([[], []]);
  }, drainLimitMs);

  expect(errors).toEqual([]);
  expect(new Set(sender.ids).size).toBe(sender.ids.length);
  const runs = await rowsOf<{ sequence: string; state: string; rollout: string }>(`
    select s.stream_sequence as sequence, r.state, s.payload::json ->> 'rollout' as rollout
    from signals.action_runs r join signals.signals s on s.id = r.signal_id order by r.id`);
  expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(['success']));
  const sequences = runs.map(({ sequence }) => Number(sequence));
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  for (const flag of flags) {
    const effects = await rowsOf<{ rollout: string }>(`
      select payload::json -> 'data' -> 'parameters' ->> 'rollout' as rollout from flags.outbox
      where type = 'feature-strategy-update' and payload::json ->> 'featureName' = '${flag}' order by id`);
    expect(effects.map(({ rollout }) => rollout)).toEqual(runs.map(({ rollout }) => rollout));
  }
});
