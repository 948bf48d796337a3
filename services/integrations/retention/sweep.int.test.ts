// Proves, on a real Postgres, what the retention deletes and keeps, and that a replay restores nothing.

import * as contracts from '@yardarm/shared/contracts/integrations';
import { sql } from '@yardarm/shared/db';
import { longTest } from '@yardarm/testing';
import { expect, it } from 'vitest';
import { replayRecorded } from '../intake/replay-recorded.ts';
import { context } from '../testing/integrations-rig.ts';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';
import { sweep } from './sweep.ts';

const run = runningDeliveries();
const sweepNow = () => sweep(run.rig.db, { days: 30, signal: new AbortController().signal });
const remove = (id: number) => run.rig.bus.request(contracts.deleteIntegration, { id }, context());

async function age(days: number, upToEventId: number): Promise<void> {
  await sql`update handled_events set handled_at = now() - ${days} * interval '1 day' where id <= ${upToEventId}`.execute(
    run.rig.db.kysely,
  );
  await sql`
    update deliveries set outcome_created_at = now() - ${days} * interval '1 day'
    where event_id <= ${upToEventId} and outcome_id is not null`.execute(run.rig.db.kysely);
}

async function counts(): Promise<number[]> {
  const events = await run.rig.db.kysely.selectFrom('handled_events').select('id').execute();
  const deliveries = await run.deliveries();
  const earlier = await run.rig.db.kysely.selectFrom('delivery_attempts').select('event_id').execute();
  const tried = new Set([
    ...earlier.map(({ event_id }) => `${event_id}`),
    ...deliveries.filter((row) => row.started_at).map((row) => `${row.integration_id}/${row.event_id}`),
  ]);
  return [events.length, deliveries.length, tried.size, deliveries.filter((row) => row.outcome_id).length];
}

it('older deliveries are deleted with all that belongs to them, younger ones stay', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  await run.rig.record({}, {}, {}, {}, {});
  await service.processAll();
  await age(31, 3);
  await sweepNow();
  expect(await counts()).toEqual([2, 2, 2, 2]);
  expect((await run.rig.outcomes(id)).map(({ event }) => event.id)).toEqual([5, 4]);
  expect((await run.rig.outcomes(id, { offset: 1, limit: 5 })).map(({ event }) => event.id)).toEqual([4]);
  await age(29, 5);
  await sweepNow();
  expect(await counts()).toEqual([2, 2, 2, 2]);
});

longTest('an older unfinished delivery stays until it is finished', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint(status(500));
  await run.rig.create({ url: endpoint.url });
  await run.rig.record({}, {});
  await service.processAll();
  await age(31, 2);
  await sweepNow();
  expect(await counts()).toEqual([2, 2, 2, 2]);
  endpoint.answer = status(200);
  await run.rig.passRetryTime();
  await service.processAll();
  await sweepNow();
  expect(await counts()).toEqual([0, 0, 0, 0]);
});

it('an event stays while another integration has a delivery of it', async () => {
  const service = await run.rig.start();
  const [good, bad] = [await run.startEndpoint(), await run.startEndpoint(status(500))];
  const { id } = await run.rig.create({ url: good.url });
  const { id: failing } = await run.rig.create({ url: bad.url });
  await run.rig.record({});
  await service.processAll();
  await age(31, 1);
  await sweepNow();
  expect(await run.rig.outcomes(id)).toEqual([]);
  expect(await run.rig.outcomes(failing)).toMatchObject([{ event: { id: 1 } }]);
});

it('deliveries that were cancelled before an attempt are deleted too', async () => {
  const service = await run.rig.start();
  const { id } = await run.rig.create({ url: 'https://hooks.example' });
  await run.rig.db.kysely
    .updateTable('integrations')
    .set({ paused_until: new Date(Date.now() + 60_000) })
    .execute();
  await run.rig.record({}, {});
  await service.processAll();
  await run.rig.update(id, { enabled: false });
  expect(await run.states()).toEqual(['cancelled', 'cancelled']);
  await age(31, 1);
  await sweepNow();
  expect(await counts()).toEqual([1, 1, 0, 0]);
});

it('a replay delivers no swept event again', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  await run.rig.create({ url: endpoint.url });
  await run.rig.record({}, {}, {});
  await service.processAll();
  await age(31, 2);
  await sweepNow();
  await replayRecorded(run.rig.db, 1);
  await service.processAll();
  expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2, 3]);
});

it('a deleted integration disappears at once with its secrets, and its deliveries disappear with the sweep', async () => {
  const service = await run.rig.start();
  const [gone, stays] = [await run.startEndpoint(), await run.startEndpoint()];
  const { id } = await run.rig.create({ url: gone.url });
  await run.rig.create({ url: stays.url });
  await run.rig.record({}, {});
  await service.processAll();
  await remove(id);
  expect((await run.rig.list()).addons).toHaveLength(1);
  await expect(run.rig.outcomes(id)).rejects.toMatchObject({ code: 'not-found' });
  const row = await run.rig.db.kysely.selectFrom('integrations').selectAll().where('id', '=', id).executeTakeFirst();
  expect(row).toMatchObject({ parameters: '{}', enabled: false });
  expect(await counts()).toEqual([2, 4, 4, 4]);

  await run.rig.record({});
  await service.processAll();
  expect(gone.calls).toHaveLength(2);
  await Promise.all([sweepNow(), sweepNow(), sweepNow()]);
  expect(await counts()).toEqual([3, 3, 3, 3]);
  expect(await run.rig.db.kysely.selectFrom('integrations').selectAll().where('id', '=', id).execute()).toEqual([]);
});

longTest('many deliveries are swept in several batches, while others are sent', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  await sql`insert into handled_events (id, event, handled_at)
    select n, '{}', now() - interval '40 days' from generate_series(1, 2500) n`.execute(run.rig.db.kysely);
  await sql`
    insert into deliveries (integration_id, event_id, state, attempts, started_at, duration_ms, outcome_id, position, outcome,
      state_details, details, outcome_created_at)
    select ${id}, n, 'succeeded', 1, now(), 1, nextval('deliveries_outcome_id_seq'), n, 'success', '', '{}',
      now() - interval '40 days' from generate_series(1, 2500) n`.execute(run.rig.db.kysely);
  run.rig.head = 2_500;
  await run.rig.record(...Array.from({ length: 30 }, (_, n) => ({ featureName: `flag-${n}` })));
  await Promise.all([service.processAll(), sweepNow()]);
  await service.processAll();
  expect(endpoint.calls).toHaveLength(30);
  expect(await counts()).toEqual([30, 30, 30, 30]);
});

it('old events behind a thousand that stay are deleted', async () => {
  await run.asOwner(`
    insert into integrations.integrations (id, provider, enabled, parameters, events, projects, environments, from_event_id)
      overriding system value values (1, 'webhook', true, '{}', '{*}', '{}', '{}', 0);
    insert into integrations.handled_events (id, event, handled_at)
      select n, '{}', now() - interval '31 days' from generate_series(1, 2_500) as n;
    insert into integrations.deliveries (integration_id, event_id) select 1, n from generate_series(1, 1_000) as n`);
  await sweepNow();
  expect(await counts()).toEqual([1_000, 1_000, 0, 0]);
});
