// Proves on a real Postgres that one of several replicas handles the same events. Other tests assert the deliveries.
import { randomBytes } from 'node:crypto';
import { eventSchema } from '@yardarm/shared/contracts/events';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { IntegrationsRig, someEvent } from '../testing/integrations-rig.ts';
import { handlePage, skipUnreceived } from './handle-page.ts';
import { findPosition } from './position.repo.ts';

let database: TestDatabase;
let rig: IntegrationsRig;

beforeEach(async () => {
  database = await createTestDatabase();
  rig = await IntegrationsRig.open({
    natsUrl: inject('natsUrl'),
    databaseUrl: database.urlFor('integrations'),
    prefix: `t${randomBytes(6).toString('hex')}`,
  });
});

afterEach(async () => {
  await rig.close();
  await database.drop();
});

const page = { events: [1, 2].map((id) => eventSchema.parse(someEvent(id))), through: 2 };

const insertIntegration = () =>
  rig.db.kysely
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
  const expected = await findPosition(rig.db.kysely);
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => handlePage(rig.db, expected, page)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(19);
  for (const error of refused)
    expect(error).toMatchObject({ message: 'another replica has moved the position, which was 0' });
  expect(await findPosition(rig.db.kysely)).toBe(2);

  // The same events, read again, make no new deliveries.
  expect(await handlePage(rig.db, 2, page)).toEqual({ receivers: [], isUnreceived: false });
  expect(await rig.db.kysely.selectFrom('deliveries').select('event_id').orderBy('event_id').execute()).toEqual([
    { event_id: 1 },
    { event_id: 2 },
  ]);
});

it('events are skipped only while no integration is enabled, by one of several replicas', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => skipUnreceived(rig.db, 0, 5)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([{ status: 'fulfilled', value: true }]);
  await insertIntegration();
  expect(await skipUnreceived(rig.db, 5, 7)).toBe(false);
  expect(await findPosition(rig.db.kysely)).toBe(5);
});
