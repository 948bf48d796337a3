import type { FeatureType } from '@yardarm/shared/contracts/flags';
import type { Kysely } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

export async function readFeatureTypes(db: Kysely<FlagsTables>): Promise<FeatureType[]> {
  const rows = await db.selectFrom('feature_types').selectAll().orderBy('sort_order').orderBy('id').execute();
  return rows.map(({ id, name, description, lifetime_days }) => ({
    id,
    name,
    description,
    lifetimeDays: lifetime_days,
  }));
}

export async function readFeatureTypeIds(db: Kysely<FlagsTables>): Promise<string[]> {
  return (await readFeatureTypes(db)).map(({ id }) => id);
}
