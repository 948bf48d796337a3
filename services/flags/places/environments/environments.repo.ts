import type { ListedEnvironment } from '@yardarm/shared/contracts/flags';
import { type Kysely, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import { type NewRow, toColumns, toRow } from '../../db/rows.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { findDeletedIncarnation, insertDeletedIncarnation } from '../incarnations/incarnations.repo.ts';
import type { StoredEnvironment } from './environment.ts';

type Columns = Selectable<FlagsTables['environments']>;

export async function findEnvironmentNames(db: Kysely<FlagsTables>): Promise<string[]> {
  const rows = await db.selectFrom('environments').select('name').orderBy('sort_order').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** Those of the names that no environment has. */
export async function findMissingEnvironments(db: Kysely<FlagsTables>, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as asked (name)
    where not exists (select from environments where environments.name = asked.name)`.execute(db);
  return rows.map(({ name }) => name);
}

/** Locks all environments, so that none is switched off or deleted until the commit. Returns them in their order. */
export async function lockAllEnvironmentsForShare(
  trx: Transaction<FlagsTables>,
): Promise<{ name: string; enabled: boolean }[]> {
  const { rows } = await sql<{ name: string; enabled: boolean }>`
    with locked as (select * from environments order by name for share)
    select name, enabled from locked order by sort_order, name`.execute(trx);
  return rows;
}

/** All environments in their order, with their numbers of projects and of flags that are on. */
export async function findEnvironments(db: Kysely<FlagsTables>): Promise<ListedEnvironment[]> {
  const { rows } = await sql<ListedEnvironment>`
    select
      name, type, sort_order as "sortOrder", enabled, protected, required_approvals as "requiredApprovals",
      (
        select count(*)::integer from project_environments pe join projects p on p.id = pe.project
        where pe.environment = environments.name and p.archived_at is null
      ) as "projectCount",
      coalesce(flags_on.count, 0) as "enabledToggleCount"
    from environments left join (
      select environment, count(*)::integer as count
      from feature_environments fe join features f on f.name = fe.feature_name
      where fe.enabled and f.archived_at is null
      group by environment
    ) as flags_on on flags_on.environment = environments.name
    order by sort_order, name`.execute(db);
  return rows;
}

export async function findEnvironment(db: Kysely<FlagsTables>, name: string): Promise<StoredEnvironment | null> {
  const row = await db.selectFrom('environments').selectAll().where('name', '=', name).executeTakeFirst();
  return row ? toRow(row) : null;
}

/**
 * Locks the rows of environments in the order of their names and returns them by name. Environments that do not exist
 * are missing from the result. With `share` several transactions can hold the lock at once. No other
 * transaction can change the rows until the commit. Neither lock lets a foreign key wait, as with projects.
 */
export async function lockEnvironments(
  trx: Transaction<FlagsTables>,
  names: readonly string[],
  mode: 'share' | 'update',
): Promise<Map<string, StoredEnvironment>> {
  const { rows } = await sql<Columns>`
    select * from environments where name = any(${names}::text[])
    order by name
    for ${sql.raw(mode === 'share' ? 'share' : 'no key update')}`.execute(trx);
  return new Map(rows.map((row) => [row.name, toRow(row)]));
}

/**
 * Inserts an environment, last without a sort order. Null when the name is taken: the primary key decides races. Null
 * also when the insert has waited for a deletion that began after `freeName`; the caller then rolls back.
 */
export async function insertEnvironment(
  trx: Transaction<FlagsTables>,
  { sortOrder, ...environment }: Omit<NewRow<'environments'>, 'sortOrder'> & { sortOrder?: number | undefined },
): Promise<StoredEnvironment | null> {
  const last = sql<number>`(select least(coalesce(max(sort_order), 0)::bigint + 1, 2147483647) from environments)`;
  const row = await trx
    .insertInto('environments')
    .values({ ...(toColumns(environment) as typeof environment), sort_order: sortOrder ?? last })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  const isTaken = !row || (await findDeletedIncarnation(trx, { kind: 'environment', id: row.name })) !== null;
  return isTaken ? null : toRow(row);
}

/** The caller has locked the rows. */
export async function updateEnvironments(
  trx: Transaction<FlagsTables>,
  environments: readonly StoredEnvironment[],
): Promise<void> {
  await sql`
    update environments set
      type = changed.type, sort_order = changed.sort_order, enabled = changed.enabled,
      required_approvals = changed.required_approvals
    from json_populate_recordset(null::environments, ${JSON.stringify(environments.map(toColumns))}) as changed
    where environments.name = changed.name`.execute(trx);
}

/** The ids of the projects that have the environment, archived ones included. */
export async function findProjectsWith(db: Kysely<FlagsTables>, environment: string): Promise<string[]> {
  const rows = await db
    .selectFrom('project_environments')
    .select('project')
    .where('environment', '=', environment)
    .orderBy('project')
    .execute();
  return rows.map(({ project }) => project);
}

/** No project has the environment. Its counters in `revisions` stay. */
export async function deleteEnvironmentRow(
  trx: Transaction<FlagsTables>,
  { name, createdAt }: StoredEnvironment,
): Promise<void> {
  await trx.deleteFrom('environments').where('name', '=', name).execute();
  await insertDeletedIncarnation(trx, { kind: 'environment', id: name, createdAt });
}
