import type { Incarnation } from '@yardarm/shared/contracts/flags';
import type { NewActionSet } from '@yardarm/shared/contracts/signals';
import { json, type Kysely, lockAndCount, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import { type StoredAction, type StoredActionSet, sortedActions } from './action-set.ts';

/** Makes the names of sets unique within a project. */
export const actionSetNameConstraint = 'action_sets_project_name_key';

type Row = Omit<StoredActionSet, 'actions'>;

const columns = sql<Row>`
  id, project, name, description, actor_id as "actorId", enabled, enabled_at as "enabledAt", source_id as "sourceId",
  filters, cooldown_seconds as "cooldownSeconds", created_at as "createdAt", created_by_user_id as "createdByUserId"`;

const actionColumns = sql<StoredAction>`
  id, action, sort_order as "sortOrder", execution_params as "executionParams", created_at as "createdAt",
  created_by_user_id as "createdByUserId"`;

/** The number of sets of a project. Concurrent creations in it wait until the transaction ends. */
export function lockSetCount(trx: Transaction<SignalsTables>, project: string): Promise<number> {
  const lock = `yardarm signals: number of action sets of ${project}`;
  return lockAndCount(trx, lock, sql`action_sets where project = ${project}`);
}

/** Locks the set. It does not change until the transaction ends. */
export async function lockActionSet(
  trx: Transaction<SignalsTables>,
  project: string,
  id: number,
): Promise<StoredActionSet | undefined> {
  const set = await findOne(sql`select ${columns} from action_sets where ${isSet(project, id)} for update`, trx);
  return set && { ...set, actions: await findActions(trx, set.id) };
}

export async function findActionSet(db: Kysely<SignalsTables>, project: string, id: number): Promise<Row | undefined> {
  return findOne(sql`select ${columns} from action_sets where ${isSet(project, id)}`, db);
}

/** The sets of a project, oldest first. Both statements read one snapshot if the transaction is repeatable read. */
export async function findActionSets(trx: Transaction<SignalsTables>, project: string): Promise<StoredActionSet[]> {
  const [sets, actions] = await trx.batch(
    sql<Row>`select ${columns} from action_sets where project = ${project} order by id`,
    actionsOfSets(sql`select id from action_sets where project = ${project}`),
  );
  return withActions(sets, actions);
}

/** Locks the sets of a deleted project, and not those of a later one with its id, oldest first. */
export async function lockActionSetsOfProject(
  trx: Transaction<SignalsTables>,
  { id, createdAt }: Pick<Incarnation, 'id' | 'createdAt'>,
  deletedAt: string,
): Promise<StoredActionSet[]> {
  // The previous version does not store the project of a set. The time of the set decides then.
  const { rows: sets } = await sql<Row>`
    select ${columns} from action_sets
    where project = ${id} and coalesce(project_created_at <= ${createdAt}::timestamptz,
      date_trunc('milliseconds', created_at) <= ${deletedAt}::timestamptz)
    order by id for update`.execute(trx);
  const ids = sets.map(({ id }) => id);
  return withActions(sets, (await actionsOfSets(sql`select unnest(${ids}::integer[])`).execute(trx)).rows);
}

/** Violates `actionSetNameConstraint` when the project has a set with this name. */
export async function insertActionSet(
  trx: Transaction<SignalsTables>,
  project: Pick<Incarnation, 'id' | 'createdAt'>,
  set: NewActionSet,
  userId: number,
): Promise<StoredActionSet> {
  const { name, description, actorId, enabled, match, cooldownSeconds } = set;
  const { rows } = await sql<Row>`
    insert into action_sets
      (project, project_created_at, name, description, actor_id, enabled, enabled_at, source_id, filters,
        cooldown_seconds, created_by_user_id)
    values
      (${project.id}, ${project.createdAt}, ${name}, ${description}, ${actorId}, ${enabled}, ${enabledAt(enabled)},
        ${match.sourceId}, ${json(match.payload)}, ${cooldownSeconds}, ${userId})
    returning ${columns}`.execute(trx);
  const row = rows[0]!;
  return { ...row, actions: await insertActions(trx, row.id, set, userId) };
}

/** A locked set belongs to the project that it was checked for, which may have been made again under the id. */
export async function updateProject(
  trx: Transaction<SignalsTables>,
  setId: number,
  { createdAt }: Pick<Incarnation, 'createdAt'>,
): Promise<void> {
  await sql`
    update action_sets set project_created_at = ${createdAt}::timestamptz
    where id = ${setId} and (project_created_at is null or project_created_at < ${createdAt}::timestamptz)`.execute(
    trx,
  );
}

/** Replaces a locked set. Violates `actionSetNameConstraint` when another set of the project has this name. */
export async function updateActionSetRow(
  trx: Transaction<SignalsTables>,
  before: StoredActionSet,
  set: NewActionSet,
  change: { restarts: boolean; replacesActions: boolean; userId: number },
): Promise<StoredActionSet> {
  const { name, description, actorId, enabled, match, cooldownSeconds } = set;
  const { rows } = await sql<Row>`
    update action_sets set
      name = ${name}, description = ${description}, actor_id = ${actorId}, enabled = ${enabled},
      enabled_at = ${change.restarts ? enabledAt(enabled) : sql`enabled_at`},
      source_id = ${match.sourceId}, filters = ${json(match.payload)}, cooldown_seconds = ${cooldownSeconds}
    where id = ${before.id}
    returning ${columns}`.execute(trx);
  const row = rows[0]!;
  if (!change.replacesActions) return { ...row, actions: before.actions };
  await sql`delete from actions where action_set_id = ${before.id}`.execute(trx);
  return { ...row, actions: await insertActions(trx, before.id, set, change.userId) };
}

export async function updateEnabled(
  trx: Transaction<SignalsTables>,
  before: StoredActionSet,
  enabled: boolean,
): Promise<StoredActionSet> {
  const { rows } = await sql<Row>`
    update action_sets set enabled = ${enabled}, enabled_at = ${enabledAt(enabled)} where id = ${before.id}
    returning ${columns}`.execute(trx);
  return { ...rows[0]!, actions: before.actions };
}

/** Deletes locked sets with their actions. */
export async function deleteActionSets(trx: Transaction<SignalsTables>, ids: readonly number[]): Promise<void> {
  await sql`delete from action_sets where id = any(${ids}::integer[])`.execute(trx);
}

/**
 * The time of the statement, which is not the one when the transaction began to wait for a lock. The createdAt of a
 * signal has milliseconds: with microseconds here, a signal that was admitted just after this could count as older.
 */
function enabledAt(enabled: boolean): RawBuilder<Date | null> {
  return enabled ? sql`date_trunc('milliseconds', clock_timestamp())` : sql`null`;
}

function isSet(project: string, id: number): RawBuilder<boolean> {
  // The cast accepts any integer. One beyond the range of the column matches no row.
  return sql`project = ${project} and id = ${id}::bigint`;
}

async function findOne(statement: RawBuilder<Row>, db: Kysely<SignalsTables>): Promise<Row | undefined> {
  return (await statement.execute(db)).rows[0];
}

async function findActions(trx: Transaction<SignalsTables>, setId: number): Promise<StoredAction[]> {
  const { rows } = await sql<StoredAction>`
    select ${actionColumns} from actions where action_set_id = ${setId} order by sort_order`.execute(trx);
  return rows;
}

function actionsOfSets(ids: RawBuilder<unknown>): RawBuilder<StoredAction & { setId: number }> {
  return sql`
    select ${actionColumns}, action_set_id as "setId" from actions where action_set_id in (${ids})
    order by action_set_id, sort_order`;
}

function withActions(sets: readonly Row[], actions: readonly (StoredAction & { setId: number })[]): StoredActionSet[] {
  const actionsOf = Map.groupBy(actions, ({ setId }) => setId);
  return sets.map((set) => ({ ...set, actions: actionsOf.get(set.id) ?? [] }));
}

async function insertActions(
  trx: Transaction<SignalsTables>,
  setId: number,
  set: NewActionSet,
  userId: number,
): Promise<StoredAction[]> {
  const sent = sortedActions(set).map(({ action, sortOrder, executionParams }) => ({
    ...{ action, sort_order: sortOrder, execution_params: executionParams },
  }));
  const { rows } = await sql<StoredAction>`
    insert into actions (action_set_id, sort_order, action, execution_params, created_by_user_id)
    select ${setId}, sort_order, action, execution_params, ${userId}
    from jsonb_to_recordset(${json(sent)}) as sent (sort_order integer, action text, execution_params jsonb)
    order by sort_order
    returning ${actionColumns}`.execute(trx);
  return rows.toSorted((one, other) => one.sortOrder - other.sortOrder);
}
