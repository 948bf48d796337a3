import { migrateAll } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrations } from './index.ts';

const last = '0004-one-row-per-delivery';
let database: TestDatabase;

async function migrateTo(last: string): Promise<void> {
  const upTo = Object.entries(migrations.migrations).filter(([name]) => name <= last);
  const set = { ...migrations, migrations: Object.fromEntries(upTo) };
  const log = createLogger({ service: 'test', level: 'warn' });
  const services = [{ set, loginUrl: database.urlFor('integrations') }];
  await migrateAll({ ownerUrl: database.ownerUrl, services, log });
}

beforeEach(async () => {
  database = await createTestDatabase();
  await database.rows('drop schema integrations cascade');
  await migrateTo('0003-nothing-left-behind');
});

afterEach(() => database.drop());

it('outcomes keep ids, positions and times, deliveries their state, and attempts their numbers', async () => {
  await database.rows(`
    set search_path = integrations;
    insert into integrations (provider, enabled, parameters, events, projects, environments, from_event_id, outcome_count)
      values ('webhook', true, '{}', '{*}', '{}', '{}', 0, 9), ('webhook', true, '{}', '{*}', '{}', '{}', 0, 1);
    insert into handled_events (id, event) select n, '{"id":' || n || '}' from generate_series(1, 7) n;
    insert into outcomes (id, integration_id, position, event_id, state, state_details, details, created_at)
      overriding system value values
      (40, 1, 8, 1, 'success', 'sent', '{"url":"u","body":"b"}', '2026-01-01T00:00:00.123456Z'),
      (50, 1, 9, 2, 'failed', 'refused', '{}', '2026-01-02Z'), (60, 2, 1, 1, 'successWithErrors', 'some', '{}', '2026-01-03Z'),
      (70, 2, 2, 7, 'success', 'its delivery is lost', '{}', '2026-01-04Z');
    select setval('outcomes_id_seq', 90);
    insert into deliveries (id, integration_id, event_id, ordering_key, state, attempts, scheduled_from, is_redelivery, progress,
        next_attempt_at, claim, claimed_until, outcome_id) overriding system value values
      (1, 1, 1, 11, 'succeeded', 3, 1, true, null, '2026-02-01Z', null, null, 40),
      (2, 1, 2, 12, 'waiting', 1, 0, false, '{"sent":["a"]}', '2026-02-02Z', null, null, 50),
      (3, 2, 1, null, 'gave-up', 1, 0, false, null, '2026-02-03Z', null, null, 60),
      (4, 1, 3, 13, 'pending', 1, 0, false, null, '2026-02-04Z', null, null, null),
      (5, 1, 4, 13, 'sending', 2, 0, false, null, '2026-02-05Z', '11111111-1111-1111-1111-111111111111', '2026-02-06Z', null),
      (6, 1, 5, 13, 'cancelled', 0, 0, false, null, '2026-02-07Z', null, null, null);
    insert into delivery_attempts (delivery_id, number, started_at, duration_ms, status, error_code, response_body) values
      (1, 1, '2026-01-01T01:00Z', 1, 500, null, 'no'), (1, 2, '2026-01-01T02:00Z', 2, null, 'interrupted', null),
      (1, 3, '2026-01-01T03:00Z', 3, 200, null, 'yes'), (2, 1, '2026-01-02Z', 4, 503, null, null),
      (3, 1, '2026-01-03Z', 5, 200, null, null), (4, 1, '2026-01-04Z', 6, null, 'interrupted', null),
      (5, 1, '2026-01-05Z', 7, 500, null, null)`);
  const outcomes = `
    select outcome_id as id, integration_id, position, event_id, outcome as state, state_details, details,
      outcome_created_at as created_at from integrations.deliveries where outcome_id is not null order by 1`;
  const deliveries = (source: string) => `
    select integration_id, event_id, ordering_key, state, attempts, scheduled_from, is_redelivery, progress, next_attempt_at,
      claim, claimed_until, outcome_id from integrations.deliveries ${source} order by 1, 2`;
  const outcomesBefore = await database.rows(`
    select id, integration_id, position, event_id, state, state_details, details, created_at
    from integrations.outcomes order by 1`);
  const deliveriesBefore = await database.rows(deliveries(''));
  const attemptsBefore = await database.rows(`
    select integration_id, event_id, number, started_at, duration_ms, status, error_code, response_body
    from integrations.delivery_attempts join integrations.deliveries on id = delivery_id order by 1, 2, 3`);
  await migrateTo(last);

  expect(await database.rows(outcomes)).toEqual(outcomesBefore);
  expect(await database.rows(deliveries('where event_id <> 7'))).toEqual(deliveriesBefore);
  const columns = 'started_at, duration_ms, status, error_code, response_body';
  const attemptsAfter = await database.rows(`
    select integration_id, event_id, number, ${columns} from integrations.delivery_attempts
    union all
    select integration_id, event_id, attempts, ${columns} from integrations.deliveries where started_at is not null
    order by 1, 2, 3`);
  expect(attemptsAfter).toEqual(attemptsBefore);
  const earlier = await database.rows('select event_id, number from integrations.delivery_attempts order by 1, 2');
  expect(earlier).toEqual([
    { event_id: '1', number: 1 },
    { event_id: '1', number: 2 },
    { event_id: '4', number: 1 },
  ]);
  expect(await database.rows('select state from integrations.deliveries where event_id = 7')).toEqual([
    { state: 'succeeded' },
  ]);
  // The sequence continues behind the used ids.
  expect(await database.rows("select nextval('integrations.deliveries_outcome_id_seq') as id")).toEqual([{ id: '91' }]);
});

it('the service may read and write the new tables', async () => {
  await migrateTo(last);
  const login =
    "has_table_privilege('yardarm_integrations', 'integrations.deliveries', 'select, insert, update, delete')";
  const sequence = "has_sequence_privilege('yardarm_integrations', 'integrations.deliveries_outcome_id_seq', 'usage')";
  expect(await database.rows(`select ${login} as tables, ${sequence} as sequence`)).toEqual([
    { tables: true, sequence: true },
  ]);
});
