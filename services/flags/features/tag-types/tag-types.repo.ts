import type { TagType } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

const columns = ['name', 'description', 'icon', 'color'] as const;

export async function findTagTypes(db: Kysely<FlagsTables>): Promise<TagType[]> {
  return await db.selectFrom('tag_types').select(columns).orderBy('name').execute();
}

export async function findTagType(db: Kysely<FlagsTables>, name: string): Promise<TagType | null> {
  return (await db.selectFrom('tag_types').select(columns).where('name', '=', name).executeTakeFirst()) ?? null;
}

/**
 * The order of these locks is the order of a type's events. With `update` no tag of the type can be added until the
 * commit.
 */
export async function lockTagType(
  trx: Transaction<FlagsTables>,
  name: string,
  mode: 'no key update' | 'update',
): Promise<TagType | null> {
  const { rows } = await sql<TagType>`
    select name, description, icon, color from tag_types where name = ${name} for ${sql.raw(mode)}`.execute(trx);
  return rows[0] ?? null;
}

/** Those of the names that exist. Their types and tags stay until the commit. */
export async function lockTagTypesForShare(
  trx: Transaction<FlagsTables>,
  names: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select name from tag_types where name = any(${names}::text[]) order by name for key share`.execute(trx);
  return new Set(rows.map(({ name }) => name));
}

/** Those of the types whose names were free. Two writers insert in the same order. */
export async function insertTagTypes(trx: Transaction<FlagsTables>, types: readonly TagType[]): Promise<TagType[]> {
  const { rows } = await sql<TagType>`
    insert into tag_types (name, description, icon, color)
    select name, description, icon, color
    from json_to_recordset(${JSON.stringify(types)}::json) as type (name text, description text, icon text, color text)
    order by name collate "C"
    on conflict on constraint tag_types_pkey do nothing
    returning name, description, icon, color`.execute(trx);
  return rows;
}

export async function updateTagTypeRow(trx: Transaction<FlagsTables>, { name, ...changed }: TagType): Promise<void> {
  await trx.updateTable('tag_types').set(changed).where('name', '=', name).execute();
}

/** Deletes the type with its tags, which no flag has. Returns the values of the tags. */
export async function deleteTagTypeRow(trx: Transaction<FlagsTables>, name: string): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`delete from tags where type = ${name} returning value`.execute(trx);
  await trx.deleteFrom('tag_types').where('name', '=', name).execute();
  return rows.map(({ value }) => value).sort();
}
