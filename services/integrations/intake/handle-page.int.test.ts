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
