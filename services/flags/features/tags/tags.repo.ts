import type { Tag } from '@yardarm/shared/contracts/flags';
import { type Kysely, type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

/** A 409 names this many users of what cannot be deleted. */
const maxNamedUsers = 5;

export async function findTags(db: Kysely<FlagsTables>, type: string | undefined): Promise<Tag[]> {
  const { rows } = await sql<Tag>`
    select type, value from tags where type = coalesce(${type ?? null}, type) order by type, value collate "C"`.execute(
    db,
  );
  return rows;
}

export async function hasTag(db: Kysely<FlagsTables>, { type, value }: Tag): Promise<boolean> {
  const { rows } = await sql`select from tags where type = ${type} and value = ${value}`.execute(db);
  return rows.length > 0;
}

/** The names of some flags, archived or not, with this tag, or with a tag of this type. */
export async function findFeaturesWithTag(
  db: Kysely<FlagsTables>,
  { type, value }: { type: string; value?: string },
): Promise<string[]> {
  const { rows } = await sql<{ feature_name: string }>`
    select distinct feature_name from feature_tags
    where type = ${type} and value = coalesce(${value ?? null}, value)
    order by feature_name limit ${maxNamedUsers}`.execute(db);
  return rows.map(({ feature_name }) => feature_name);
}

/** Tags as rows of a statement. */
export function tagRows(tags: readonly Tag[]): RawBuilder<unknown> {
  return sql`unnest(
    ${tags.map(({ type }) => type)}::text[], ${tags.map(({ value }) => value)}::text[]
  ) as tag (type, value)`;
}

/** Returns those of the tags that are new. Their types are locked for share. Two writers insert in the same order. */
export async function insertTags(trx: Transaction<FlagsTables>, tags: readonly Tag[]): Promise<Tag[]> {
  if (tags.length === 0) return [];
  const { rows } = await sql<Tag>`
    insert into tags (type, value)
    select distinct type collate "C", value collate "C" from ${tagRows(tags)} order by 1, 2
    on conflict on constraint tags_pkey do nothing
    returning type, value`.execute(trx);
  return rows;
}

export async function deleteTagRow(trx: Transaction<FlagsTables>, { type, value }: Tag): Promise<boolean> {
  const { rows } = await sql`delete from tags where type = ${type} and value = ${value} returning type`.execute(trx);
  return rows.length > 0;
}
