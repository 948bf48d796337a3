import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { StoredStrategyType } from './strategy-type.ts';

const columns = ['name', 'title', 'description', 'parameters', 'deprecated'] as const;

/** The custom types after a name, by name. */
export async function listStrategyTypesAfter(
  db: Kysely<FlagsTables>,
  after: string,
  limit: number,
): Promise<StoredStrategyType[]> {
  return await db
    .selectFrom('strategy_types')
    .select(columns)
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit)
    .execute();
}

export async function findStrategyType(db: Kysely<FlagsTables>, name: string): Promise<StoredStrategyType | null> {
  const row = await db.selectFrom('strategy_types').select(columns).where('name', '=', name).executeTakeFirst();
  return row ?? null;
}

/** The custom types that have one of the names. */
export async function findStrategyTypes(
  db: Kysely<FlagsTables>,
  names: readonly string[],
): Promise<StoredStrategyType[]> {
  if (names.length === 0) return [];
  return await db
    .selectFrom('strategy_types')
    .select(columns)
    .where('name', 'in', [...names])
    .execute();
}

/** Locks a custom type for a change. A strategy of it waits if it is to be deleted. */
export async function lockStrategyType(
  trx: Transaction<FlagsTables>,
  name: string,
  purpose: 'change' | 'delete',
): Promise<StoredStrategyType | null> {
  const type = trx.selectFrom('strategy_types').select(columns).where('name', '=', name);
  return (await (purpose === 'delete' ? type.forUpdate() : type.forNoKeyUpdate()).executeTakeFirst()) ?? null;
}

/** False when there is a custom type with the name. */
export async function insertStrategyType(
  trx: Transaction<FlagsTables>,
  { parameters, ...type }: StoredStrategyType,
): Promise<boolean> {
  const row = await trx
    .insertInto('strategy_types')
    .values({ ...type, parameters: JSON.stringify(parameters) })
    .onConflict((conflict) => conflict.constraint('strategy_types_pkey').doNothing())
    .returning('name')
    .executeTakeFirst();
  return row !== undefined;
}

/** The caller has locked the row. */
export async function updateStrategyTypeRow(
  trx: Transaction<FlagsTables>,
  { name, parameters, ...type }: StoredStrategyType,
): Promise<void> {
  await trx
    .updateTable('strategy_types')
    .set({ ...type, parameters: JSON.stringify(parameters) })
    .where('name', '=', name)
    .execute();
}

export async function deleteStrategyTypeRow(trx: Transaction<FlagsTables>, name: string): Promise<void> {
  await trx.deleteFrom('strategy_types').where('name', '=', name).execute();
}

/** The first flags, archived or not, with a strategy of the type. */
export async function findFeaturesWithType(trx: Transaction<FlagsTables>, name: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct feature_name as name from feature_strategies where name = ${name} order by 1 limit 5`.execute(trx);
  return rows.map((row) => row.name);
}
