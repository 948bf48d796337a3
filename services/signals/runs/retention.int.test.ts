// Proves, on a real Postgres, which runs the retention deletes, and that only the holder of its lease deletes any.
import { sql } from '@yardarm/shared/db';
import { eventually } from '@yardarm/testing';
import { expect, it } from 'vitest';
import { runsRig } from '../testing/runs-rig.ts';
import { deleteOldRuns } from './runs.repo.ts';

const test = runsRig();
const held = sql`select 1`;

const countOf = async (table: 'action_runs' | 'run_steps') =>
  (await test.rig.db.kysely.selectFrom(table).selectAll().execute()).length;

/** Runs that finished so many days ago; null for one that is not finished. */
async function insertRuns(...days: (number | null)[]): Promise<void> {
  await sql`
    with runs as (
      insert into action_runs (action_set_id, signal_id, endpoint_id, actor_id, enabled_at, action_set, state,
        created_at, finished_at)
      select 1, n, 1, 1, now(), '{}', case when days is null then 'started' else 'success' end,
        now() - interval '90 days', now() - days * interval '1 day'
      from unnest(${days}::integer[]) with ordinality as r (days, n)
      returning id
    )
    insert into run_steps (run_id, position, problem) select id, 1, 'none' from runs`.execute(test.rig.db.kysely);
}

it('deletes the runs that finished before, oldest first and with their steps, and no unfinished one', async () => {
  await insertRuns(40, 29, 31, null, 35);
  const remove = (limit: number) => deleteOldRuns(test.rig.db.kysely, held, { days: 30, limit });
  expect(await remove(2)).toBe(2);
  const { rows } = await sql`select signal_id as id from action_runs order by id`.execute(test.rig.db.kysely);
  expect(rows).toEqual([{ id: 2 }, { id: 3 }, { id: 4 }]);
  expect([await remove(2), await remove(2)]).toEqual([1, 0]);
  expect([await countOf('action_runs'), await countOf('run_steps')]).toEqual([2, 2]);
});

it('deletes nothing without the lease', async () => {
  await insertRuns(40);
  const lost = sql`select 1 where false`;
  expect(await deleteOldRuns(test.rig.db.kysely, lost, { days: 30, limit: 10 })).toBe(0);
});

it('is a job of the service, by its setting', async () => {
  await insertRuns(20, 10);
  await test.rig.start({ SIGNALS_RETENTION_DAYS: '15' });
  await eventually(async () => expect(await countOf('action_runs')).toBe(1));
});
