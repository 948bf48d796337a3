// Proves that a transaction that waited for a lock acts on the state after the wait.
import { eventSchema } from '@yardarm/shared/contracts/events';
import { sql, type Transaction } from '@yardarm/shared/db';
import { expect, test } from 'vitest';
import type { IntegrationsTables } from '../db/schema.ts';
import { handleAgain, handlePage } from '../intake/handle-page.ts';
import { findPosition } from '../intake/position.repo.ts';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import { deleteUntriedDeliveries } from '../retention/retention.repo.ts';
import { someEvent } from '../testing/integrations-rig.ts';
import { runningDeliveries } from '../testing/running-deliveries.ts';
import { claimDue, renewClaims } from './claims.repo.ts';
import { scheduleRedelivery } from './deliveries.repo.ts';

const run = runningDeliveries();
const rows = () => run.rig.db.kysely;
const claim = '11111111-1111-1111-1111-111111111111';
const limits = { maxInFlight: 8, maxOwned: 64, owned: 0, maxClaims: 8, claimMs: 10_000 };
const pageOf = (id: number, changes: Parameters<typeof someEvent>[1]) => ({
  events: [eventSchema.parse(someEvent(id, changes))],
  through: id,
});

async function makeIntegration(): Promise<void> {
  await sql`
    insert into integrations (provider, enabled, parameters, events, projects, environments, from_event_id)
    values ('webhook', true, '{}', '{*}', '{}', '{}', 0)`.execute(rows());
}

async function claimBehindLock(trx: Transaction<IntegrationsTables>) {
  await lockIntegration(trx, 1);
  return claimDue(trx, { id: 1, fromEventId: 0 }, limits);
}

const waiting = async () =>
  Number(
    (
      await sql<{ n: string }>`
        select count(*) as n from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and usename = current_user`.execute(rows())
    ).rows[0]!.n,
  );

test('a claim that is renewed while another process waits is not replaced, and no attempt is recorded', async () => {
  await makeIntegration();
  await sql`insert into handled_events (id, event) values (1, '{}')`.execute(rows());
  await sql`
    insert into deliveries (integration_id, event_id, ordering_key, state, attempts, claim, claimed_until)
    values (1, 1, 7, 'sending', 1, ${claim}, now() - interval '1 second')`.execute(rows());
  const other = await run.rig.db.transaction(async (trx) => {
    await lockIntegration(trx, 1);
    const claimed = run.rig.db.transaction(claimBehindLock);
    await expect.poll(waiting).toBe(1);
    await renewClaims(rows(), [{ integrationId: 1, eventId: 1, claim }], 10_000);
    return { claimed };
  });
  expect(await other.claimed).toEqual([]);
  expect(await run.attempts()).toEqual([]);
});

test('a claim whose renewal commits while another claim waits for the row is not replaced', async () => {
  await makeIntegration();
  await sql`insert into handled_events (id, event) values (1, '{}')`.execute(rows());
  await sql`
    insert into deliveries (integration_id, event_id, ordering_key, state, attempts, claim, claimed_until)
    values (1, 1, 7, 'sending', 1, ${claim}, now() - interval '1 second')`.execute(rows());
  const other = await run.rig.db.transaction(async (trx) => {
    await renewClaims(trx, [{ integrationId: 1, eventId: 1, claim }], 10_000);
    const claimed = run.rig.db.transaction(claimBehindLock);
    await expect.poll(waiting).toBe(1);
    return { claimed };
  });
  expect(await other.claimed).toEqual([]);
  expect(await run.attempts()).toEqual([]);
});

test('the retention skips an untried delivery that a redelivery has locked, and deletes the others', async () => {
  await makeIntegration();
  await sql`insert into handled_events (id, event, handled_at) select n, '{}', now() - interval '40 days'
    from generate_series(1, 3) n`.execute(rows());
  await sql`insert into deliveries (integration_id, event_id, state) select 1, n, 'cancelled'
    from generate_series(1, 3) n`.execute(rows());
  await run.rig.db.transaction(async (trx) => {
    await lockIntegration(trx, 1);
    const one = { integrationId: 1, from: 2, to: 2, onlyFailed: false, maySendEventsOfPeople: true };
    await scheduleRedelivery(trx, one);
    const deleted = run.rig.db.transaction((other) => deleteUntriedDeliveries(other, { days: 30, limit: 10 }));
    expect(await deleted).toBe(2);
  });
  expect(await run.deliveries()).toMatchObject([{ event_id: 2, state: 'pending' }]);
});

test('an event that is read while an earlier one of its flag is replayed is not sent concurrently', async () => {
  await makeIntegration();
  await sql`insert into missed_events values (2, 2)`.execute(rows());
  await sql`update intake set last_event_id = 2`.execute(rows());
  const expected = await findPosition(rows());
  const underLock = await run.rig.db.transaction(async (trx) => {
    await sql`select * from intake for update`.execute(trx);
    const replayed = handleAgain(run.rig.db, { first: 2, last: 2 }, pageOf(2, { featureName: 'f' }));
    await expect.poll(waiting).toBe(1);
    const handled = handlePage(run.rig.db, expected, pageOf(3, { featureName: 'f' }));
    await expect.poll(waiting).toBe(2);
    return { replayed, handled };
  });
  await underLock.replayed;
  expect(await underLock.handled).toMatchObject({ receivers: [1] });
  const claimed = await run.rig.db.transaction(claimBehindLock);
  expect(claimed.map(({ eventId }) => eventId)).toEqual([2]);
});
