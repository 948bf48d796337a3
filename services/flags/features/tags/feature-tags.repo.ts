import type { Tag } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { tagRows } from './tags.repo.ts';

export interface FeatureTag extends Tag {
  featureName: string;
}

/** The tags of a flag with the colors of their types; null when there is no such flag, archived or not. */
export async function findFeatureTags(
  db: Kysely<FlagsTables>,
  featureName: string,
): Promise<(Tag & { color: string | null })[] | null> {
  const { rows } = await sql<{ tags: (Tag & { color: string | null })[] }>`
    select (
      select coalesce(
        json_agg(json_build_object('type', t.type, 'value', t.value, 'color', type.color) order by t.type, t.value), '[]')
      from feature_tags t join tag_types type on type.name = t.type
      where t.feature_name = f.name
    ) as tags
    from features f where f.name = ${featureName}`.execute(db);
  return rows[0]?.tags ?? null;
}

/** The names of flags of a project that have the tag and are not archived, up to a limit, in their order. */
export async function findLiveFeaturesWithTag(
  db: Kysely<FlagsTables>,
  project: string,
  { type, value }: Tag,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select f.name from feature_tags t join features f on f.name = t.feature_name
    where t.type = ${type} and t.value = ${value} and f.project = ${project} and f.archived_at is null
    order by f.name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns what the flags did not have. Their rows are locked, and the tags exist until the commit. */
export async function insertFeatureTags(
  trx: Transaction<FlagsTables>,
  tags: readonly FeatureTag[],
): Promise<FeatureTag[]> {
  if (tags.length === 0) return [];
  const { rows } = await sql<FeatureTag>`
    insert into feature_tags (feature_name, type, value)
    select feature_name, type, value
    from unnest(
      ${tags.map(({ featureName }) => featureName)}::text[], ${tags.map(({ type }) => type)}::text[],
      ${tags.map(({ value }) => value)}::text[]
    ) as tag (feature_name, type, value)
    on conflict on constraint feature_tags_pkey do nothing
    returning feature_name as "featureName", type, value`.execute(trx);
  return rows;
}

/** Returns what the flags had. Their rows are locked. */
export async function deleteFeatureTags(
  trx: Transaction<FlagsTables>,
  featureNames: readonly string[],
  tags: readonly Tag[],
): Promise<FeatureTag[]> {
  if (tags.length === 0) return [];
  const { rows } = await sql<FeatureTag>`
    with removed as (
      delete from feature_tags using ${tagRows(tags)}
      where feature_name = any(${featureNames}::text[])
        and feature_tags.type = tag.type and feature_tags.value = tag.value
      returning feature_name as "featureName", feature_tags.type, feature_tags.value
    )
    select * from removed order by "featureName", type, value`.execute(trx);
  return rows;
}

/** Those of the flags that have more tags than that, with their number. */
export async function findOvertagged(
  trx: Transaction<FlagsTables>,
  featureNames: readonly string[],
  maxTags: number,
): Promise<{ featureName: string; count: number }[]> {
  const { rows } = await sql<{ featureName: string; count: number }>`
    select feature_name as "featureName", count(*)::integer as count from feature_tags
    where feature_name = any(${featureNames}::text[])
    group by feature_name having count(*) > ${maxTags} order by feature_name limit 1`.execute(trx);
  return rows;
}
