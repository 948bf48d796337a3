import type { Feature } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** The tags of flags by the flag's name, for events. A flag without tags is missing. */
export async function findTagsOf(
  db: Kysely<FlagsTables>,
  featureNames: readonly string[],
): Promise<Map<string, Feature['tags']>> {
  const { rows } = await sql<{ name: string; tags: Feature['tags'] }>`
    select feature_name as name, json_agg(json_build_object('type', type, 'value', value) order by type, value) as tags
    from feature_tags where feature_name = any(${featureNames}::text[])
    group by feature_name`.execute(db);
  return new Map(rows.map(({ name, tags }) => [name, tags]));
}
