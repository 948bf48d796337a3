import type { FeatureType } from '@yardarm/shared/contracts/flags';
import type { Kysely } from '@yardarm/shared/db';
import { toRow } from '../db/rows.ts';
import type { FlagsTables } from '../db/schema.ts';

export async function findFeatureTypes(db: Kysely<FlagsTables>): Promise<FeatureType[]> {
  const columns = ['id', 'name', 'description', 'lifetime_days'] as const;
  const rows = await db.selectFrom('feature_types').select(columns).orderBy('sort_order').orderBy('id').execute();
  return rows.map(toRow);
}

export async function findFeatureTypeIds(db: Kysely<FlagsTables>): Promise<string[]> {
  return (await findFeatureTypes(db)).map(({ id }) => id);
}
