import type { FeatureType } from '@yardarm/shared/contracts/flags';
import { type Kysely, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import { toRow } from '../../db/rows.ts';
import type { FlagsTables } from '../../db/schema.ts';

const columns = ['id', 'name', 'description', 'lifetime_days'] as const;

export async function findFeatureTypes(db: Kysely<FlagsTables>): Promise<FeatureType[]> {
  const rows = await db.selectFrom('feature_types').select(columns).orderBy('sort_order').orderBy('id').execute();
  return rows.map(toRow);
}

export async function findFeatureTypeIds(db: Kysely<FlagsTables>): Promise<string[]> {
  return (await findFeatureTypes(db)).map(({ id }) => id);
}

/** Null when there is no such type. */
export async function lockFeatureType(trx: Transaction<FlagsTables>, id: string): Promise<FeatureType | null> {
  const { rows } = await sql<Pick<Selectable<FlagsTables['feature_types']>, (typeof columns)[number]>>`
    select id, name, description, lifetime_days from feature_types where id = ${id} for no key update`.execute(trx);
  return rows[0] ? toRow(rows[0]) : null;
}

export async function updateLifetimeRow(
  trx: Transaction<FlagsTables>,
  id: string,
  lifetimeDays: number | null,
): Promise<void> {
  await trx.updateTable('feature_types').set({ lifetime_days: lifetimeDays }).where('id', '=', id).execute();
}
