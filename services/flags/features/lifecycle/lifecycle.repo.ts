import { type LifecycleStageName, lifecycleStages } from '@yardarm/shared/contracts/flags';
import { type Kysely, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import { type Row, toRow } from '../../db/rows.ts';
import type { FlagsTables } from '../../db/schema.ts';
import type { StoredStage } from './lifecycle.ts';

/**
 * The place of a stage. A flag is in the last stage that it has entered, whatever the times: a report of usage may
 * insert `live` after a concurrent `archived`.
 */
const rankOf = (stage: RawBuilder<unknown>) => sql`array_position(${[...lifecycleStages]}::text[], ${stage})`;

/** The place of the stage of a row `l`. */
export const stageRank = rankOf(sql`l.stage`);

/** Whether the flag of a row `l` is in its stage. */
export const isCurrentStage = sql`not exists (
  select from feature_lifecycle later
  where later.feature_name = l.feature_name and ${rankOf(sql`later.stage`)} > ${stageRank}
)`;

/** Null when the project has no such flag. */
export async function findStages(
  db: Kysely<FlagsTables>,
  project: string,
  featureName: string,
): Promise<StoredStage[] | null> {
  const { rows } = await sql<{ stages: StoredStage[] }>`
    select (
      select coalesce(
        json_agg(json_build_object('stage', l.stage, 'status', l.status, 'enteredAt', l.entered_at) order by ${stageRank}),
        '[]')
      from feature_lifecycle l where l.feature_name = f.name
    ) as stages
    from features f where f.project = ${project} and f.name = ${featureName}`.execute(db);
  return rows[0]?.stages ?? null;
}

/** How many flags are in each stage. A stage without flags is missing. */
export async function countStages(db: Kysely<FlagsTables>): Promise<Map<LifecycleStageName, number>> {
  const { rows } = await sql<{ stage: LifecycleStageName; count: number }>`
    select (${[...lifecycleStages]}::text[])[rank] as stage, count(*)::integer as count
    from (select max(${stageRank}) as rank from feature_lifecycle l group by l.feature_name) as current
    group by rank`.execute(db);
  return new Map(rows.map(({ stage, count }) => [stage, count]));
}

/** The row of the stage `completed`, if the flag has it. The caller has locked the flag's row. */
export async function findCompletion(
  trx: Transaction<FlagsTables>,
  featureName: string,
): Promise<Row<'feature_lifecycle'> | null> {
  const row = await trx
    .selectFrom('feature_lifecycle')
    .selectAll()
    .where('feature_name', '=', featureName)
    .where('stage', '=', 'completed')
    .executeTakeFirst();
  return row ? toRow(row) : null;
}

/** A flag that was completed before keeps the time. */
export async function upsertCompletion(
  trx: Transaction<FlagsTables>,
  featureName: string,
  { status, statusValue }: { status: string; statusValue: string | null },
): Promise<void> {
  await trx
    .insertInto('feature_lifecycle')
    .values({ feature_name: featureName, stage: 'completed', status, status_value: statusValue })
    .onConflict((conflict) =>
      conflict.columns(['feature_name', 'stage']).doUpdateSet({ status, status_value: statusValue }),
    )
    .execute();
}

/** The flag leaves `completed` for `live`. If it was live before, it keeps the time. The caller has locked its row. */
export async function replaceCompletionByLive(trx: Transaction<FlagsTables>, featureName: string): Promise<void> {
  await trx
    .deleteFrom('feature_lifecycle')
    .where('feature_name', '=', featureName)
    .where('stage', '=', 'completed')
    .execute();
  await trx
    .insertInto('feature_lifecycle')
    .values({ feature_name: featureName, stage: 'live' })
    .onConflict((conflict) => conflict.columns(['feature_name', 'stage']).doNothing())
    .execute();
}
