// Proves on a real Postgres the decisions of claims and settlements when processes race or a claim has expired.
import { sql } from '@yardarm/shared/db';
import { expect, it } from 'vitest';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import { runningDeliveries } from '../testing/running-deliveries.ts';
import { type ClaimedDelivery, claimDue } from './claims.repo.ts';
import { type Settlement, settleAttempts } from './deliveries.repo.ts';

const run = runningDeliveries();

async function makePending(count: number): Promise<void> {
  const { kysely } = run.rig.db;
  await sql`
    insert into integrations (provider, enabled, parameters, events, projects, environments, from_event_id)
    values ('webhook', true, '{}', '{*}', '{}', '{}', 0)`.execute(kysely);
  await sql`insert into handled_events (id, event) select n, '{}' from generate_series(1, ${count}::int) n`.execute(
    kysely,
  );
  await sql`
    insert into deliveries (integration_id, event_id, ordering_key)
    select 1, n, n from generate_series(1, ${count}::int) n`.execute(kysely);
}

const claim = (maxInFlight: number): Promise<ClaimedDelivery[]> =>
  run.rig.db.transaction(async (trx) => {
    await lockIntegration(trx, 1);
    return claimDue(
      trx,
      { id: 1, fromEventId: 0 },
      { maxInFlight, maxOwned: maxInFlight, owned: 0, maxClaims: 1_000, claimMs: 10_000 },
    );
  });

const settle = (...ended: [ClaimedDelivery, 'success' | 'failed'][]): Promise<Set<number>> =>
  run.rig.db.transaction(async (trx) => {
    await lockIntegration(trx, 1);
    return settleAttempts(trx, 1, ended.map(settlementOf));
  });

function settlementOf([delivery, state]: [ClaimedDelivery, 'success' | 'failed']): Settlement {
  const attempt = { startedAt: new Date(), durationMs: 1, errorCode: null, responseBody: null };
  const isSuccess = state === 'success';
  return {
    eventId: delivery.eventId,
    claim: delivery.claim,
    attempt: { number: delivery.attempt, status: isSuccess ? 200 : 500, ...attempt },
    step: isSuccess ? { state: 'succeeded' } : { state: 'waiting', nextAttemptInMs: 0 },
    progress: null,
    outcome: { state, stateDetails: `attempt ${delivery.attempt}`, details: {}, isBodyEvent: false },
  };
}

it('twenty concurrent claims get different deliveries, and together not more than the limit', async () => {
  await makePending(100);
  const claims = await Promise.all(Array.from({ length: 20 }, () => claim(8)));
  expect(claims.flat().map(({ eventId }) => eventId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it('outcomes that are settled concurrently have positions without gaps, and ids in the same order', async () => {
  await makePending(200);
  const claimed = await claim(200);
  const batches = Array.from({ length: 40 }, (_, n) => claimed.slice(n * 5, n * 5 + 5));
  await Promise.all(
    batches.map((batch) => settle(...batch.map((one): [ClaimedDelivery, 'success'] => [one, 'success']))),
  );
  const rows = (await run.deliveries()).sort((a, b) => a.position! - b.position!);
  expect(rows.map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  const ids = rows.map(({ outcome_id }) => outcome_id!);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});

it.each([
  ['a failure', 'failed', 'after a success', 'success', 'success', 'attempt 2'],
  ['a failure', 'failed', 'after a newer failure', 'failed', 'failed', 'attempt 2'],
  ['a success', 'success', 'after a newer failure', 'failed', 'success', 'attempt 1'],
] as const)('%s of an attempt whose claim expired, %s (%s), is kept and changes no newer attempt', async (...row) => {
  const [, lateEnd, , newerEnd, outcome, stateDetails] = row;
  await makePending(1);
  const [late] = await claim(1);
  await run.rig.passClaimTime();
  const [newer] = await claim(1);
  expect(await settle([newer!, newerEnd])).toEqual(new Set([1]));
  const before = await run.deliveries();
  expect(await settle([late!, lateEnd])).toEqual(new Set());
  const attempt = (end: string) => ({ status: end === 'success' ? 200 : 500, error_code: null });
  expect(await run.attempts()).toMatchObject([
    { number: 1, ...attempt(lateEnd) },
    { number: 2, ...attempt(newerEnd) },
  ]);
  const [{ outcome_id, position, state, started_at } = before[0]!] = before;
  expect(await run.deliveries()).toMatchObject([
    { outcome_id, position, state, started_at, attempts: 2, outcome, state_details: stateDetails },
  ]);
});

it('an attempt whose claim expired makes the outcome if it ends first, and the newer attempt changes it', async () => {
  await makePending(1);
  const [late] = await claim(1);
  await run.rig.passClaimTime();
  const [newer] = await claim(1);
  await settle([late!, 'failed']);
  expect(await run.deliveries()).toMatchObject([
    { state: 'sending', outcome: 'failed', position: 1, started_at: null },
  ]);
  const [{ outcome_id } = { outcome_id: null }] = await run.deliveries();
  await settle([newer!, 'success']);
  expect(await run.deliveries()).toMatchObject([{ state: 'succeeded', outcome: 'success', outcome_id, position: 1 }]);
});

it('a claim changes no index', async () => {
  await makePending(20);
  await claim(8);
  await sql`select pg_stat_force_next_flush()`.execute(run.rig.db.kysely);
  await expect
    .poll(async () => {
      const { rows } = await sql<{ updated: number; hot: number }>`
        select n_tup_upd as updated, n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'deliveries'`.execute(
        run.rig.db.kysely,
      );
      return rows[0];
    })
    .toEqual({ updated: 8, hot: 8 });
});

it('a body that equals the event is stored once, and shown', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  await run.rig.record({});
  await service.processAll();
  const [delivery] = await run.deliveries();
  expect(Object.keys(JSON.parse(delivery!.details!))).toEqual(['url']);
  const [outcome] = await run.rig.outcomes(id);
  expect(outcome!.details).toMatchObject({ body: endpoint.calls[0]!.body });
});
