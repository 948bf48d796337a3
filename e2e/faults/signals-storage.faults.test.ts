// The storage of SIGNALS is lost while an endpoint has more signals than its reader takes at once. Those that are
// stored have their runs, in order, and the signals after the loss follow them.
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startYardarm, type Yardarm } from './yardarm.ts';

const project = '/api/admin/projects/default';
const environment = 'production';
const flag = 'rollout';
/** The reader pauses at 1,000 unfinished runs. The others are stored and have no run when the storage is lost. */
const before = 1_200;
const after = 50;
const connections = 10;
/** The others have no rollout, so their runs fail at once: 1,000 effects would take minutes on a busy machine. */
const withEffectEvery = 10;
/** For some hundred steps and ten times as many failed runs, on a busy machine. */
const recoveryLimitMs = 180_000;

let yardarm: Yardarm;
let sent = 0;

beforeAll(async () => {
  yardarm = await startYardarm({ flags: 1, integrations: 0, signals: 2 });
});
afterAll(() => yardarm?.stop());

async function createSet(): Promise<string> {
  await yardarm.call('POST', `${project}/features`, { name: flag });
  const strategy = { name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'default', groupId: flag } };
  await yardarm.call('POST', `${project}/features/${flag}/environments/${environment}/strategies`, strategy);
  const account = await yardarm.call('POST', '/api/admin/service-account', {
    ...{ username: 'signals', name: 'signals', rootRole: 1 },
  });
  const endpoint = await yardarm.call('POST', '/api/admin/signal-endpoints', { name: 'alerts', ratePerSecond: 5_000 });
  const { token } = await yardarm.call('POST', `/api/admin/signal-endpoints/${endpoint.id}/tokens`, { name: 'sender' });
  const executionParams = { project: 'default', environment, featureName: flag, rollout: '{{payload.rollout}}' };
  await yardarm.call('POST', `${project}/actions`, {
    ...{ name: 'rollouts', actorId: account.id },
    match: { source: 'signal-endpoint', sourceId: endpoint.id, payload: {} },
    actions: [{ action: 'SET_ROLLOUT', sortOrder: 1, executionParams }],
  });
  return token;
}

/** Sends until so many signals are accepted. Returns their ids. */
async function send(token: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  const connection = async () => {
    while (ids.length < count) {
      const payload = sent % withEffectEvery === 0 ? { rollout: (sent / withEffectEvery) % 100 } : {};
      sent += 1;
      const answer = await fetch(`${yardarm.url()}/api/signal-endpoint/alerts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(payload),
      });
      const text = await answer.text();
      if (answer.status === 200) ids.push(JSON.parse(text).signals[0].id);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, connections) }, connection));
  return ids;
}

const rows = <Row extends object>(text: string) => yardarm.database.rows<Row & Record<string, unknown>>(text);

const untilStored = (ids: readonly number[]) =>
  eventually(async () => {
    const stored = await rows<{ id: string }>('select id from signals.signals');
    expect(stored.map(({ id }) => Number(id))).toEqual(expect.arrayContaining([...ids]));
  }, recoveryLimitMs);

test('signals that are stored run their set once and in order although SIGNALS is lost, and later ones follow', async () => {
  const token = await createSet();
  const [flags] = yardarm.replicasOf('flags');
  await flags!.stop();
  // The first run waits for flags, and all later ones wait for it.
  const early = [...(await send(token, 1)), ...(await send(token, before))];
  await untilStored(early);
  const [{ taken }] = (await rows<{ taken: string }>('select count(*) as taken from signals.action_runs')) as [
    { taken: string },
  ];
  expect(Number(taken)).toBeLessThan(before);

  await yardarm.servers.crashNats(0, 'wiped');
  await flags!.start();
  await yardarm.untilReady();
  const late = await send(token, after);
  await untilStored(late);

  await eventually(async () => {
    const [left] = await rows(`
      select (select count(*)::integer from signals.action_runs where finished_at is null) as unfinished,
        (select count(*)::integer from signals.signals s
          where not exists (select from signals.action_runs where signal_id = s.id)) as untaken`);
    expect(left).toEqual({ unfinished: 0, untaken: 0 });
  }, recoveryLimitMs);
  const runs = await rows<{ id: string; state: string; rollout: string | null }>(`
    select r.signal_id as id, r.state, s.payload::json ->> 'rollout' as rollout
    from signals.action_runs r join signals.signals s on s.id = r.signal_id order by r.id`);
  expect(runs.filter(({ state, rollout }) => (state === 'success') !== (rollout !== null))).toEqual([]);
  const ids = runs.map(({ id }) => Number(id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining([...early, ...late]));
  // Signals before the loss are first.
  const firstLate = ids.findIndex((id) => late.includes(id));
  expect(ids.slice(firstLate).filter((id) => early.includes(id))).toEqual([]);
  // Each effect is once, in the order of the runs.
  const effects = await rows<{ rollout: string }>(`
    select payload::json -> 'data' -> 'parameters' ->> 'rollout' as rollout from flags.outbox
    where type = 'feature-strategy-update' order by id`);
  expect(effects.map(({ rollout }) => rollout)).toEqual(runs.flatMap(({ rollout }) => rollout ?? []));
});
