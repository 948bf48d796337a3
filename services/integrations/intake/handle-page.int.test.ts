// Proves on a real Postgres that one of several replicas handles the same events. Other tests assert the deliveries.
import { eventSchema } from '@yardarm/shared/contracts/events';
import { expect, it } from 'vitest';
import { someEvent } from '../testing/integrations-rig.ts';
import { runningDeliveries } from '../testing/running-deliveries.ts';
import { handlePage, skipUnreceived } from './handle-page.ts';
import { findPosition } from './position.repo.ts';

const run = runningDeliveries();

const page = { events: [1, 2].map((id) => eventSchema.parse(someEvent(id))), through: 2 };

const insertIntegration = () =>
  run.rig.db.kysely
    .insertInto('integrations')
    .values({
      provider: 'webhook',
      description: null,
      enabled: true,
      parameters: '{}',
      events: ['*'],
      projects: [],
      environments: [],
      from_event_id: 0,
    })
    .execute();

it('one of twenty replicas that expect the same position handles the events, and the others fail', async () => {
  await insertIntegration();
  const expected = await findPosition(run.rig.db.kysely);
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => handlePage(run.rig.db, expected, page)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(19);
  for (const error of refused)
    expect(error).toMatchObject({ message: 'another replica has moved the position, which was 0' });
  expect(await findPosition(run.rig.db.kysely)).toBe(2);

  // The same events, read again, make no new deliveries.
  expect(await handlePage(run.rig.db, 2, page)).toEqual({ receivers: [], isUnreceived: false });
  expect(await run.rig.db.kysely.selectFrom('deliveries').select('event_id').orderBy('event_id').execute()).toEqual([
    { event_id: 1 },
    { event_id: 2 },
  ]);
});

it('events are skipped only while no integration is enabled, by one of several replicas', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => skipUnreceived(run.rig.db, 0, 5)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([{ status: 'fulfilled', value: true }]);
  await insertIntegration();
  expect(await skipUnreceived(run.rig.db, 5, 7)).toBe(false);
  expect(await findPosition(run.rig.db.kysely)).toBe(5);
});

it('a page makes a delivery for each of thousands of integrations', async () => {
  const integrations = 5_000;
  await run.asOwner(`
    insert into integrations.integrations (provider, enabled, parameters, events, projects, environments, from_event_id)
    select 'webhook', true, '{}', '{*}', '{}', '{}', 0 from generate_series(1, ${integrations})`);
  const events = Array.from({ length: 10 }, (_, n) => eventSchema.parse(someEvent(n + 1)));
  const { receivers } = await handlePage(run.rig.db, 0, { events, through: 10 });
  expect(new Set(receivers).size).toBe(integrations);
  const { count } = run.rig.db.kysely.fn;
  const counted = run.rig.db.kysely.selectFrom('deliveries').select(count<number>('event_id').as('count'));
  expect(await counted.executeTakeFirst()).toEqual({ count: integrations * events.length });
});
