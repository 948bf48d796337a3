// Tests the lists of stored signals over a real bus and Postgres: order, filters, search, and who sees what.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/signals';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { sendSignals } from '../testing/sent-signals.ts';
import { admin, contextOf, type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';

const alertText =
  '{ "n": 123456789012345678901234567890, "alerts": [{"labels": {"severity": "critical"}}, {"ok": 1.0}] }';
const viewer: Actor = { ...admin, grants: [] };
const auditor: Actor = { ...admin, grants: [{ permissions: ['READ_LOGS'] }] };

let rig: SignalsRig;
let alerts: contracts.SignalEndpoint;
let deploys: contracts.SignalEndpoint;

beforeAll(async () => {
  rig = await startSignalsRig();
  alerts = await rig.createEndpoint('alerts', { description: 'From the monitor' });
  deploys = await rig.createEndpoint('deploys');
  const { id: tokenId } = await rig.createToken(alerts.id, 'grafana');
  const [a, d] = [
    { endpointId: alerts.id, tokenId },
    { endpointId: deploys.id, tokenId: 987_654 },
  ];
  await sendSignals(
    rig,
    { ...a, id: 11, createdAt: '2026-01-30T23:59:59.999Z', payloadText: alertText },
    {
      ...d,
      id: 12,
      createdAt: '2026-01-31T00:00:00.000Z',
      payloadText: '{"app.name":"checkout","alerts":{"0":{"ok":1}}}',
    },
    {
      ...a,
      id: 13,
      createdAt: '2026-01-31T23:59:59.999Z',
      payloadText: '{"severity":"critical","count":"5","ok":true}',
    },
    // The clock of a gateway lags: the id is higher, the time is not.
    { ...d, id: 14, createdAt: '2026-01-31T12:00:00.000Z', payloadText: '{"count":5.0,"ok":"true","gone":null}' },
    { ...a, id: 15, createdAt: '2026-02-01T00:00:00.000Z', payloadText: '["\\u0000","critical"]' },
    { ...a, id: 16, createdAt: '2026-02-02T00:00:00.000Z', payloadText: '[["critical"],{"severity":"low"}]' },
  );
  await rig.service.processAll();
});

afterAll(() => rig?.stop());

type Filters = Partial<z.input<typeof contracts.findSignals.input>>;

const page = { limit: 50, offset: 0 };
const found = async (filters: Filters = {}, actor: Actor = admin) =>
  (await rig.ask(contracts.findSignals, { ...page, ...filters }, actor)).signals;
const ids = async (filters: Filters = {}) => (await found(filters)).map(({ id }) => id);
const listed = async (signalEndpointId: number, filters: Filters = {}) =>
  (await rig.ask(contracts.listEndpointSignals, { signalEndpointId, ...page, ...filters })).signalEndpointSignals;
const total = async (filters: Filters = {}) => (await rig.ask(contracts.countSignals, filters)).total;

describe('the list of an endpoint', () => {
  it('has its signals, newest first, with the names of their tokens', async () => {
    expect((await listed(alerts.id)).map(({ id }) => id)).toEqual([16, 15, 13, 11]);
    expect((await listed(deploys.id))[0]).toEqual({
      ...{ id: 14, payload: { count: 5, ok: 'true', gone: null }, createdAt: '2026-01-31T12:00:00.000Z' },
      ...{ source: 'signal-endpoint', sourceId: deploys.id, tokenName: null },
    });
    expect((await listed(alerts.id))[0]?.tokenName).toBe('grafana');
  });

  it('takes days, a page and a search', async () => {
    const list = async (filters: Filters) => (await listed(alerts.id, filters)).map(({ id }) => id);
    expect(await list({ from: '2026-01-31', to: '2026-01-31' })).toEqual([13]);
    expect(await list({ limit: 2, offset: 1 })).toEqual([15, 13]);
    expect(await list({ payload: 'ok=true' })).toEqual([13]);
  });

  it('is not found for an unknown endpoint, and requires ADMIN', async () => {
    await expect(listed(987_654)).rejects.toMatchObject({ code: 'not-found' });
    const list = rig.ask(contracts.listEndpointSignals, { signalEndpointId: alerts.id, ...page }, auditor);
    await expect(list).rejects.toMatchObject({ code: 'no-access', message: expect.stringContaining('"ADMIN"') });
  });
});

describe('the list over all endpoints', () => {
  it('has every signal, newest first, with names', async () => {
    expect(await ids()).toEqual([16, 15, 13, 14, 12, 11]);
    expect((await found({ limit: 1, offset: 2 }))[0]).toEqual({
      ...{ id: 13, payload: { severity: 'critical', count: '5', ok: true }, createdAt: '2026-01-31T23:59:59.999Z' },
      ...{ source: 'signal-endpoint', sourceId: alerts.id, sourceName: 'alerts' },
      ...{ sourceDescription: 'From the monitor', tokenName: 'grafana', runs: [] },
    });
  });

  it('of one endpoint is narrowed by its id', async () => {
    expect(await ids({ sourceId: deploys.id })).toEqual([14, 12]);
    expect(await total({ sourceId: deploys.id })).toBe(2);
    expect(await ids({ sourceId: 987_654 })).toEqual([]);
  });

  it.each<[Filters, number[]]>([
    [{ from: '2026-01-31' }, [16, 15, 13, 14, 12]],
    [{ to: '2026-01-31' }, [13, 14, 12, 11]],
    [{ from: '2026-01-31', to: '2026-01-31' }, [13, 14, 12]],
    [{ from: '2026-02-01', to: '2026-01-31' }, []],
    [{ from: '9999-12-31' }, []],
    [{ to: '0001-01-01' }, []],
    [{ limit: 2 }, [16, 15]],
    [{ limit: 2, offset: 4 }, [12, 11]],
    [{ offset: 1_000_000_000 }, []],
  ])('with %j has %j', async (filters, expected) => {
    expect(await ids(filters)).toEqual(expected);
    const { limit: _, offset: __, ...days } = filters;
    expect(await total(days)).toBe((await ids(days)).length);
  });

  it('sends the payload as it was sent', async () => {
    const texts: string[] = [];
    const context = contextOf(admin);
    for await (const text of rig.bus.requestItems(contracts.findSignals, { ...page, to: '2026-01-30' }, context)) {
      texts.push(Buffer.from(text).toString());
    }
    expect(texts.join()).toContain(`"payload":${alertText}}`);
  });

  it('has no payloads for an actor without READ_LOGS, who cannot search in them', async () => {
    const signals = await found({}, viewer);
    expect(signals.map(({ id }) => id)).toEqual([16, 15, 13, 14, 12, 11]);
    expect(signals.filter((signal) => 'payload' in signal)).toEqual([]);
    const refusal = { code: 'no-access', message: expect.stringContaining('"READ_LOGS"') };
    await expect(found({ payload: 'severity=low' }, viewer)).rejects.toMatchObject(refusal);
    const counted = rig.ask(contracts.countSignals, { payload: 'severity=low' }, viewer);
    await expect(counted).rejects.toMatchObject(refusal);
    expect((await found({ payload: 'severity=critical' }, auditor)).map(({ payload }) => payload)).toHaveLength(1);
  });
});

describe('the runs of signals', () => {
  let setId: number;

  beforeAll(async () => {
    const [set] = await rig.rows(
      `insert into signals.action_sets (project, name, actor_id, enabled, source_id, filters, created_by_user_id)
       values ('default', 'Switch off', 12, false, $1, '{}', 1) returning id`,
      [alerts.id],
    );
    setId = Number(set!.id);
    await rig.rows(
      `insert into signals.action_runs
         (action_set_id, signal_id, endpoint_id, actor_id, enabled_at, action_set, state, finished_at)
       values ($1, 13, $2, 12, now(), '{}', 'success', now()), (987654, 13, $2, 12, now(), '{}', 'waiting', null),
         ($1, 11, $2, 12, now(), '{}', 'failed', now())`,
      [setId, alerts.id],
    );
  });

  it('are in the list, with the names of the sets that are still there', async () => {
    const runsOf = Object.fromEntries((await found()).map(({ id, runs }) => [id, runs]));
    expect(runsOf).toMatchObject({ 16: [], 15: [], 14: [], 12: [] });
    const known = { actionSetId: setId, actionSetName: 'Switch off', project: 'default' };
    expect(runsOf[11]).toEqual([{ id: expect.any(Number), ...known, state: 'failed' }]);
    expect(runsOf[13]).toEqual([
      { id: expect.any(Number), ...known, state: 'success' },
      { id: expect.any(Number), actionSetId: 987_654, actionSetName: null, project: null, state: 'started' },
    ]);
  });

  it.each<[Filters, number[]]>([
    [{ hasRuns: true }, [13, 11]],
    [{ hasRuns: false }, [16, 15, 14, 12]],
    [{ hasRuns: false, to: '2026-01-31' }, [14, 12]],
  ])('narrow the list: %j has %j', async (filters, expected) => {
    expect(await ids(filters)).toEqual(expected);
    expect(await total(filters)).toBe(expected.length);
  });

  it('are for admins alone', async () => {
    expect((await found({}, auditor)).filter((signal) => 'runs' in signal)).toEqual([]);
    const refusal = { code: 'no-access', message: expect.stringContaining('"ADMIN"') };
    await expect(found({ hasRuns: false }, auditor)).rejects.toMatchObject(refusal);
    await expect(rig.ask(contracts.countSignals, { hasRuns: true }, auditor)).rejects.toMatchObject(refusal);
  });
});

describe('a search in payloads', () => {
  it.each<[string, number[]]>([
    ['severity=critical', [13]],
    ['alerts[0].labels.severity=critical', [11]],
    ['alerts[1].labels.severity=critical', []],
    ['alerts[1].ok=1', [11]],
    ['alerts[0].ok=1', []],
    ['alerts.0.ok=1', [12]],
    ['["app.name"]=checkout', [12]],
    ['app.name=checkout', []],
    ['n=123456789012345678901234567890', [11]],
    ['n=123456789012345678901234567891', []],
    ['count=5', [13, 14]],
    ['count=5.00', [14]],
    ['ok=true', [13, 14]],
    ['gone=null', [14]],
    ['absent=null', []],
    ['[0][0]=critical', [16]],
    ['[1].severity=low', [16]],
    // jsonb cannot hold the payload of 15.
    ['[1]=critical', []],
    ['alerts[9999999].ok=1', []],
    ["severity='; drop table signals", []],
  ])('for %j finds %j', async (payload, expected) => {
    expect(await ids({ payload })).toEqual(expected);
    expect(await total({ payload })).toBe(expected.length);
  });

  it.each([`${'a.'.repeat(490)}a=x`, `alerts${'[0]'.repeat(330)}=x`])(
    'along a path of hundreds of steps finds nothing',
    async (payload) => expect(await ids({ payload })).toEqual([]),
  );

  it('is combined with days', async () => {
    expect(await ids({ payload: 'count=5', to: '2026-01-30' })).toEqual([]);
  });

  it.each(['severity', '.=x', 'a\u0000=x', `a${'[0]'.repeat(10_000)}=x`])(
    'of another form is refused with its name',
    async (payload) => {
      const refusal = { code: 'validation', message: expect.stringContaining('.payload property should') };
      await expect(ids({ payload })).rejects.toMatchObject(refusal);
      await expect(total({ payload })).rejects.toMatchObject(refusal);
    },
  );
});

describe('a list that takes too long to find', () => {
  // The search of each row waits, as if there were millions.
  const slow = async (test: () => Promise<void>) => {
    await rig.rows(`alter table signals.signals rename to signals_kept`);
    await rig.rows(`create view signals.signals as select * from signals.signals_kept where pg_sleep(1) is not null`);
    await rig.rows(`grant select on signals.signals to yardarm_signals`);
    try {
      await test();
    } finally {
      await rig.rows('drop view signals.signals');
      await rig.rows('alter table signals.signals_kept rename to signals');
    }
  };

  it('is refused after three seconds with the advice to narrow it', () =>
    slow(async () => {
      const refusal = { code: 'bad-data', message: expect.stringContaining('longer than 3 seconds') };
      await Promise.all([
        expect(ids()).rejects.toMatchObject(refusal),
        expect(total({ payload: 'a=1' })).rejects.toMatchObject(refusal),
      ]);
    }));
});

it('reads one list of a caller at a time, beside those of others', async () => {
  const waiting = async () => {
    const [{ count } = { count: 0 }] = await rig.rows<{ count: number }>(
      "select count(*)::integer as count from pg_locks where not granted and relation = 'signals.signals'::regclass",
    );
    return count;
  };
  await rig.rows('begin');
  await rig.rows('lock table signals.signals in access exclusive mode');
  // Actors of their own: that of the other tests may rest.
  const callers = [...Array.from({ length: 5 }, () => ({ ...viewer, id: 98 })), { ...viewer, id: 99 }];
  const lists = Promise.allSettled(callers.map((caller) => found({}, caller)));
  try {
    // The service has all of them when it has answered this request.
    await rig.ask(contracts.listSignalEndpointTokens, { signalEndpointId: alerts.id });
    await eventually(async () => expect(await waiting()).toBeGreaterThanOrEqual(2));
    expect(await waiting()).toBe(2);
  } finally {
    await rig.rows('rollback');
  }
  await lists;
});
