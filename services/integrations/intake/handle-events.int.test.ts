// Proves on a real Postgres that one of several replicas handles the same messages. Other tests assert the deliveries.
import { randomBytes } from 'node:crypto';
import type { BusMessage } from '@yardarm/shared/bus';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { IntegrationsRig, someEvent } from '../testing/integrations-rig.ts';
import { handleEvents } from './handle-events.ts';
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

const message = (sequence: number): BusMessage => ({
  subject: 'recorded.feature-created',
  sequence,
  payload: someEvent(sequence),
  msgId: null,
  headers: {},
  traceparent: null,
  deliveryCount: 1,
  publishedAt: new Date(),
});

it('one of twenty replicas that expect the same position handles the messages, and the others fail', async () => {
  await rig.db.kysely
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
  const expected = await findPosition(rig.db.kysely);
  const batch = { incarnation: 'one', messages: [message(1), message(2)] };
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => handleEvents(rig.db, expected, batch)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(19);
  for (const error of refused)
    expect(error).toMatchObject({ message: 'another replica has moved the position, which was 0' });
  const position = await findPosition(rig.db.kysely);
  expect(position).toMatchObject({ incarnation: 'one', lastSequence: 2, lastEventId: 2 });

  // The same events in another incarnation of the stream make no new deliveries.
  const again = await handleEvents(rig.db, position, { ...batch, incarnation: 'two' });
  expect(again).toMatchObject({ position: { incarnation: 'two' }, receivers: [] });
  expect(await rig.db.kysely.selectFrom('deliveries').select('event_id').orderBy('event_id').execute()).toEqual([
    { event_id: 1 },
    { event_id: 2 },
  ]);
});
