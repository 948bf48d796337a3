import {
  hidden,
  type Kysely,
  lockAndCount,
  prepared,
  type Selectable,
  sql,
  type Transaction,
} from '@yardarm/shared/db';
import { type NewRow, toColumns, toRow } from '../../db/rows.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { insertDeletedIncarnation } from '../incarnations/incarnations.repo.ts';
import { featureLimitExceeded, type StoredProject } from './project.ts';

type Trx = Transaction<FlagsTables>;
type Columns = Selectable<FlagsTables['projects']>;

/**
 * Locks the rows of projects in the order of their ids and returns them by id. Projects that do not exist are missing
 * from the result. With `share` several transactions can hold the lock at once. No other transaction can change the
 * rows until the commit. Neither lock lets a foreign key wait: Postgres checks it again when a transaction updates a
 * row for the second time, which is after the locks of flags.
 */
export async function lockProjects(
  trx: Trx,
  ids: readonly string[],
  mode: 'share' | 'update',
): Promise<Map<string, StoredProject>> {
  const { rows } = await sql<Columns>`
    select * from projects where id = any(${ids}::text[])
    order by id
    for ${sql.raw(mode === 'share' ? 'share' : 'no key update')}`.execute(trx);
  return new Map(rows.map((row) => [row.id, toRow(row)]));
}

/** The same with `share`, without the projects that another transaction has locked for update. It waits for none. */
export async function lockFreeProjects(trx: Trx, ids: readonly string[]): Promise<Map<string, StoredProject>> {
  const { rows } = await prepared('lock-free-projects')<Columns>`
    select * from projects where id = any(${hidden(sql`${ids}::text[]`)}::text[])
    order by id
    for share skip locked`.execute(trx);
  return new Map(rows.map((row) => [row.id, toRow(row)]));
}

export async function findProjectIds(db: Kysely<FlagsTables>): Promise<string[]> {
  const rows = await db.selectFrom('projects').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

export async function findProject(db: Kysely<FlagsTables>, id: string): Promise<StoredProject | null> {
  const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toRow(row) : null;
}

export async function hasProject(db: Kysely<FlagsTables>, id: string): Promise<boolean> {
  const row = await db.selectFrom('projects').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/**
 * Inserts a project with its environments, whose rows are locked. Null when the id is taken: the primary key decides
 * races. Each environment has a counter from the start. That of an earlier project with the id goes on.
 */
export async function insertProject(
  trx: Trx,
  project: NewRow<'projects'>,
  environments: readonly string[],
): Promise<StoredProject | null> {
  const columns = toColumns(project);
  const { rows } = await sql<Columns>`
    with inserted as (
      insert into projects (${sql.join(Object.keys(columns).map((column) => sql.ref(column)))})
      values (${sql.join(Object.values(columns))})
      on conflict on constraint projects_pkey do nothing
      returning *
    ), environments as (
      insert into project_environments (project, environment)
      select id, unnest(${environments}::text[]) from inserted
    ), counters as (
      insert into revisions (environment, project)
      select unnest(${environments}::text[]), id from inserted order by 1
      on conflict on constraint revisions_pkey do nothing
    )
    select * from inserted`.execute(trx);
  return rows[0] ? toRow(rows[0]) : null;
}

/** The row is locked for update. Returns it with the time of this update. */
export async function updateProjectRow(trx: Trx, project: StoredProject): Promise<StoredProject> {
  const { rows } = await sql<Columns>`
    update projects set
      name = ${project.name}, description = ${project.description}, default_stickiness = ${project.defaultStickiness},
      feature_limit = ${project.featureLimit}, archived_at = ${project.archivedAt},
      feature_naming = ${project.featureNaming && JSON.stringify(project.featureNaming)},
      link_templates = ${JSON.stringify(project.linkTemplates)}, updated_at = clock_timestamp()
    where id = ${project.id}
    returning *`.execute(trx);
  return toRow(rows[0]!);
}

/** Environments, favorites and context fields of the project go with it. Its flags and segments are deleted before. */
export async function deleteProjectRow(trx: Trx, { id, createdAt }: StoredProject): Promise<void> {
  await trx.deleteFrom('projects').where('id', '=', id).execute();
  await insertDeletedIncarnation(trx, { kind: 'project', id, createdAt });
}

/** The first flags of a project that are not archived, by name. */
export async function findLiveFeatureNames(db: Kysely<FlagsTables>, id: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('features')
    .select('name')
    .where('project', '=', id)
    .where('archived_at', 'is', null)
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

export async function findEnvironmentsOfProject(db: Kysely<FlagsTables>, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('project_environments')
    .select('environment')
    .where('project', '=', id)
    .orderBy('environment')
    .execute();
  return rows.map(({ environment }) => environment);
}

/**
 * Throws `limit-exceeded` if the project has more flags than its own limit. Call it after flags are inserted, moved
 * there or revived, and before the limit of the installation. The project's row is locked, so its limit stays. Until
 * the commit no other transaction counts, so that concurrent writers cannot exceed the limit together.
 */
export async function requireWithinFeatureLimit(
  trx: Trx,
  { id, featureLimit }: Pick<StoredProject, 'id' | 'featureLimit'>,
): Promise<void> {
  if (featureLimit === null) return;
  const count = await lockAndCount(
    trx,
    `yardarm flags: limit of features in the project ${id}`,
    sql`features where project = ${id} and archived_at is null`,
  );
  if (count > featureLimit) throw featureLimitExceeded(id, featureLimit);
}
