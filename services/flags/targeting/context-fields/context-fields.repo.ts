import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import { toRow } from '../../db/rows.ts';
import type { FlagsTables } from '../../db/schema.ts';
import type { ContextFieldSettings, FieldUse, StoredContextField } from './context-field.ts';

type Columns = Selectable<FlagsTables['context_fields']>;

/** A 409 names this many users of what cannot be deleted. */
const maxNamedUsers = 5;

/**
 * Which flag uses which field: in a constraint, in the stickiness of a strategy or variant, or in a segment. Flags
 * that are archived use nothing.
 */
const uses = sql`
  select f.name as feature_name, f.project, used.field
  from features f
  join (
    select s.feature_name, c ->> 'contextName' as field
    from feature_strategies s cross join lateral json_array_elements(s.constraints) as c
    union all
    select s.feature_name, s.parameters ->> 'stickiness' from feature_strategies s
    union all
    select s.feature_name, v ->> 'stickiness'
    from feature_strategies s cross join lateral json_array_elements(s.variants) as v
    union all
    select s.feature_name, c ->> 'contextName'
    from feature_strategies s
    join strategy_segments use on use.strategy_id = s.id
    join segments on segments.id = use.segment_id
    cross join lateral json_array_elements(segments.constraints) as c
    union all
    select fe.feature_name, v ->> 'stickiness'
    from feature_environments fe cross join lateral json_array_elements(fe.variants) as v
  ) as used on used.feature_name = f.name
  where f.archived_at is null`;

async function findContextFields(
  db: Kysely<FlagsTables>,
  filter: RawBuilder<unknown>,
): Promise<(StoredContextField & FieldUse)[]> {
  const { rows } = await sql<Columns & FieldUse>`
    with uses as (${uses}), used as (
      select field, count(distinct feature_name)::integer as features, count(distinct project)::integer as projects
      from uses where field is not null group by field
    )
    select f.*, coalesce(features, 0) as "usedInFeatures", coalesce(projects, 0) as "usedInProjects"
    from context_fields f left join used on used.field = f.name
    where ${filter}
    order by f.sort_order, f.name`.execute(db);
  return rows.map(toRow);
}

/** The fields of all projects, also those of single projects if asked, or those of one project. */
export async function listContextFieldRows(
  db: Kysely<FlagsTables>,
  which: 'root' | 'all' | { project: string; withRoot: boolean },
): Promise<(StoredContextField & FieldUse)[]> {
  if (which === 'all') return await findContextFields(db, sql`true`);
  if (which === 'root') return await findContextFields(db, sql`f.project is null`);
  return await findContextFields(db, sql`f.project = ${which.project} or (f.project is null and ${which.withRoot})`);
}

export async function findContextField(
  db: Kysely<FlagsTables>,
  name: string,
): Promise<(StoredContextField & FieldUse) | null> {
  return (await findContextFields(db, sql`f.name = ${name}`))[0] ?? null;
}

export async function hasContextField(db: Kysely<FlagsTables>, name: string): Promise<boolean> {
  const row = await db.selectFrom('context_fields').select('name').where('name', '=', name).executeTakeFirst();
  return row !== undefined;
}

/**
 * The order of these locks is the order of a field's events. Only with `update` does it wait for strategies and
 * segments that begin to use the field.
 */
export async function lockContextField(
  trx: Transaction<FlagsTables>,
  name: string,
  mode: 'no key update' | 'update',
): Promise<StoredContextField | null> {
  const { rows } = await sql<Columns>`
    select * from context_fields where name = ${name} for ${sql.raw(mode)}`.execute(trx);
  return rows[0] ? toRow(rows[0]) : null;
}

/** Those of the fields whose names were free. Two writers insert in the same order. */
export async function insertContextFields(
  trx: Transaction<FlagsTables>,
  fields: readonly (ContextFieldSettings & Pick<StoredContextField, 'name' | 'project'>)[],
): Promise<StoredContextField[]> {
  const { rows } = await sql<Columns>`
    insert into context_fields (name, description, stickiness, sort_order, legal_values, project)
    select name, description, stickiness, "sortOrder", "legalValues", project
    from json_to_recordset(${JSON.stringify(fields)}::json) as field (
      name text, description text, stickiness boolean, "sortOrder" integer, "legalValues" json, project text)
    order by name collate "C"
    on conflict on constraint context_fields_pkey do nothing
    returning *`.execute(trx);
  return rows.map(toRow);
}

export async function updateContextFieldRow(trx: Transaction<FlagsTables>, field: StoredContextField): Promise<void> {
  const { name, description, stickiness, sortOrder, legalValues } = field;
  await trx
    .updateTable('context_fields')
    .set({ description, stickiness, sort_order: sortOrder, legal_values: JSON.stringify(legalValues) })
    .where('name', '=', name)
    .execute();
}

export async function deleteContextFieldRow(trx: Transaction<FlagsTables>, name: string): Promise<void> {
  await trx.deleteFrom('context_fields').where('name', '=', name).execute();
}

/** The first flags, segments and projects that use a field, such as `the flag checkout`. */
export async function findUsersOfField(trx: Transaction<FlagsTables>, name: string): Promise<string[]> {
  const { rows } = await sql<{ user: string }>`
    with uses as (${uses})
    select 'the flag ' || feature_name as user from uses where field = ${name}
    union
    select 'the segment ' || s.name
    from segments s cross join lateral json_array_elements(s.constraints) as c where c ->> 'contextName' = ${name}
    union
    select 'the project ' || id from projects where default_stickiness = ${name} and archived_at is null
    union
    select 'the default strategy of the project ' || place.project
    from project_environments place
    where place.default_strategy is not null and (
      place.default_strategy -> 'parameters' ->> 'stickiness' = ${name}
      or exists (
        select from json_array_elements(coalesce(place.default_strategy -> 'constraints', '[]')) as c
        where c ->> 'contextName' = ${name}
      )
      or exists (
        select from json_array_elements(coalesce(place.default_strategy -> 'variants', '[]')) as v
        where v ->> 'stickiness' = ${name}
      )
    )
    order by 1 limit ${maxNamedUsers}`.execute(trx);
  return rows.map(({ user }) => user);
}
