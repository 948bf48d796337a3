import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

export async function findEnvironmentNames(db: Kysely<FlagsTables>): Promise<string[]> {
  const rows = await db.selectFrom('environments').select('name').orderBy('sort_order').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** Those of the names that no environment has. */
export async function findMissingEnvironments(db: Kysely<FlagsTables>, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as asked (name)
    where not exists (select from environments where environments.name = asked.name)`.execute(db);
  return rows.map(({ name }) => name);
}

/** Locks all environments, so that none is switched off or deleted until the commit. Returns them in their order. */
export async function lockAllEnvironmentsForShare(
  trx: Transaction<FlagsTables>,
): Promise<{ name: string; enabled: boolean }[]> {
  const { rows } = await sql<{ name: string; enabled: boolean }>`
    select name, enabled from environments order by sort_order, name for share`.execute(trx);
  return rows;
}
