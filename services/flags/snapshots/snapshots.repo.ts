import type { ClientFeature } from '@yardarm/shared/contracts/flags';
import { type Kysely, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { Revisions } from './snapshot.ts';

export interface RemovedFeature {
  name: string;
  project: string;
}

export async function readEpoch(db: Kysely<FlagsTables>): Promise<string> {
  const { epoch } = await db.selectFrom('epoch').select('epoch').executeTakeFirstOrThrow();
  return epoch;
}

export async function hasEnvironment(db: Kysely<FlagsTables>, environment: string): Promise<boolean> {
  const row = await db.selectFrom('environments').select('name').where('name', '=', environment).executeTakeFirst();
  return row !== undefined;
}

export async function readRevisions(db: Kysely<FlagsTables>, environment: string): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('revisions')
    .select(['project', 'revision'])
    .where('environment', '=', environment)
    .orderBy('project')
    .execute();
  return Object.fromEntries(rows.map(({ project, revision }) => [project, revision]));
}

/** Every environment, one without projects as well. */
export async function readAllRevisions(
  db: Kysely<FlagsTables>,
): Promise<{ environment: string; project: string | null; revision: number | null }[]> {
  return await db
    .selectFrom('environments')
    .leftJoin('revisions', 'revisions.environment', 'environments.name')
    .select(['environments.name as environment', 'revisions.project', 'revisions.revision'])
    .orderBy('environments.name')
    .orderBy('revisions.project')
    .execute();
}

/** Flags as SDKs of the environment get them, by name: all, or those that changed after the revisions given. */
export async function readClientFeatures(
  trx: Transaction<FlagsTables>,
  environment: string,
  since: Revisions | null,
): Promise<ClientFeature[]> {
  const { rows } = await sql<ClientFeature>`
    select
      f.name, f.type, f.description, fe.enabled, f.stale, f.impression_data as "impressionData", f.project,
      (
        select coalesce(
          json_agg(
            json_build_object(
              'name', s.name, 'title', s.title, 'parameters', s.parameters, 'constraints', s.constraints,
              'segments', s.segments, 'variants', s.variants
            ) order by s.sort_order, s.id
          ), '[]')
        from feature_strategies s
        where s.feature_name = fe.feature_name and s.environment = fe.environment and not s.disabled
      ) as strategies,
      '[]'::json as variants,
      '[]'::json as dependencies
    from ${changedRows('feature_environments', 'fe', environment, since)} join features f on f.name = fe.feature_name
    where f.archived_at is null
    order by f.name`.execute(trx);
  return rows;
}

/** What SDKs of the environment must forget since the revisions given. */
export async function readRemovedFeatures(
  trx: Transaction<FlagsTables>,
  environment: string,
  since: Revisions,
): Promise<RemovedFeature[]> {
  const { rows } = await sql<RemovedFeature>`
    select removed.feature_name as name, removed.project
    from ${changedRows('removed_features', 'removed', environment, since)}
    order by removed.feature_name`.execute(trx);
  return rows;
}

/**
 * A delta goes from each project to the index on (environment, project, revision), so that it costs what changed. The offset
 * keeps the planner, which knows nothing of the list of projects, from reading the whole environment instead.
 */
function changedRows(table: string, alias: string, environment: string, since: Revisions | null): RawBuilder<unknown> {
  const rows = sql`select * from ${sql.table(table)} where environment = ${environment}`;
  if (since === null) return sql`(${rows}) as ${sql.ref(alias)}`;
  return sql`json_each_text(${JSON.stringify(since)}::json) as known cross join lateral (
    ${rows} and project = known.key and revision > known.value::bigint offset 0
  ) as ${sql.ref(alias)}`;
}
