// Proves how outcomes are listed: pages, frames, and the cost of a page of many outcomes.
import { sql } from '@yardarm/shared/db';
import { describe, expect, it } from 'vitest';
import { runningDeliveries } from '../testing/running-deliveries.ts';
import { type listOutcomeIds, pageStatement } from './outcomes.repo.ts';

const run = runningDeliveries();

describe('outcomes', () => {
  it('are listed newest first, by limit and offset', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record(...Array.from({ length: 7 }, () => ({})));
    await service.processAll();
    const ids = async (page: object) => (await run.rig.outcomes(id, page)).map(({ event }) => event.id);
    expect(await ids({})).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(await ids({ limit: 3 })).toEqual([7, 6, 5]);
    expect(await ids({ limit: 3, offset: 5 })).toEqual([2, 1]);
    expect(await ids({ offset: 7 })).toEqual([]);
    expect(await ids({ offset: Number.MAX_SAFE_INTEGER })).toEqual([]);
  });

  it('that are large are sent in frames that fit a message', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    const large = () => ({ data: { text: '"'.repeat(100_000) } });
    await run.rig.record(large(), {}, large(), {}, {}, large());
    await service.processAll();
    const frames = await run.rig.frames(id);
    expect(frames.flat().map(({ event }) => event.id)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(frames.length).toBeGreaterThan(2);
  });

  it('of a far page cost no more than those of the first: the offset is a position in an index', async () => {
    const { id } = await madeMany(50_000);
    for (const offset of [0, 49_000]) {
      const plan = await planOf({ integrationId: id, limit: 50, offset });
      expect(plan).toContain('deliveries_position_idx');
      expect(plan).toMatch(/Index Cond: .*position/);
      expect(plan).not.toContain('Seq Scan');
      // The plan reads the 50 rows of the page and none before them.
      const read = [...plan.matchAll(/actual rows=(\d+)/g)].map(([, rows]) => Number(rows));
      expect(Math.max(...read)).toBeLessThanOrEqual(50);
    }
  });
});

/** As many outcomes as a busy integration has in a week. */
async function madeMany(count: number): Promise<{ id: number }> {
  await run.rig.start();
  const { id } = await run.rig.create({ url: 'https://hooks.example' });
  const { kysely } = run.rig.db;
  await sql`insert into handled_events (id, event) select n, '{}' from generate_series(1, ${count}::integer) n`.execute(
    kysely,
  );
  await sql`
    insert into deliveries (integration_id, event_id, state, attempts, started_at, duration_ms, outcome_id, position, outcome,
      state_details, details, outcome_created_at)
    select ${id}, n, 'succeeded', 1, now(), 1, n, n, 'success', '', '{}', now()
    from generate_series(1, ${count}::integer) n`.execute(kysely);
  return { id };
}

async function planOf(page: Parameters<typeof listOutcomeIds>[1]): Promise<string> {
  const { kysely } = run.rig.db;
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain (analyze, timing off, costs off, summary off) ${pageStatement(page)}`.execute(kysely);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
