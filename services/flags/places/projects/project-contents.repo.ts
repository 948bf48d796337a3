import { type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import { type Row, toRow } from '../../db/rows.ts';
import type { FlagsTables } from '../../db/schema.ts';

type Trx = Transaction<FlagsTables>;

// The caller has locked the project's row for update, so that nothing is added to the project.

export async function lockSegmentsOfProject(trx: Trx, project: string): Promise<Row<'segments'>[]> {
  const { rows } = await sql<Selectable<FlagsTables['segments']>>`
    select * from segments where project = ${project} order by id for update`.execute(trx);
  return rows.map((row) => toRow(row));
}

/** The first flags of other projects whose strategies use the segments of a project. */
export async function findUsersElsewhere(trx: Trx, project: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct f.name
    from segments s join strategy_segments use on use.segment_id = s.id
    join feature_strategies strategy on strategy.id = use.strategy_id
    join features f on f.name = strategy.feature_name
    where s.project = ${project} and f.project <> ${project}
    order by f.name limit ${limit}`.execute(trx);
  return rows.map(({ name }) => name);
}

/** The caller has locked the segments. No strategy uses them. */
export async function deleteSegmentsOfProject(trx: Trx, project: string): Promise<void> {
  await trx.deleteFrom('segments').where('project', '=', project).execute();
}

export async function deleteContextFieldsOfProject(trx: Trx, project: string): Promise<Row<'context_fields'>[]> {
  const { rows } = await sql<Selectable<FlagsTables['context_fields']>>`
    with locked as (
      select name from context_fields where project = ${project} order by name for update
    )
    delete from context_fields using locked where context_fields.name = locked.name
    returning context_fields.*`.execute(trx);
  return rows.map((row) => toRow(row));
}
