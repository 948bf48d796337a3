import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** Whether the flag is on in the environment; null when it is not in it. The caller has locked the flag's row. */
export async function findEnabled(
  trx: Transaction<FlagsTables>,
  featureName: string,
  environment: string,
): Promise<boolean | null> {
  const row = await trx
    .selectFrom('feature_environments')
    .select('enabled')
    .where('feature_name', '=', featureName)
    .where('environment', '=', environment)
    .executeTakeFirst();
  return row?.enabled ?? null;
}

/** A flag's state and the size of its variants by environment. The caller has locked the flag's row. */
export async function findFeatureEnvironments(
  trx: Transaction<FlagsTables>,
  featureName: string,
): Promise<Map<string, { enabled: boolean; variantBytes: number }>> {
  const { rows } = await sql<{ environment: string; enabled: boolean; variantBytes: number }>`
    select environment, enabled, octet_length(variants::text) as "variantBytes"
    from feature_environments where feature_name = ${featureName}`.execute(trx);
  return new Map(rows.map(({ environment, ...state }) => [environment, state]));
}

export async function updateEnabled(
  trx: Transaction<FlagsTables>,
  featureName: string,
  environment: string,
  enabled: boolean,
): Promise<void> {
  await trx
    .updateTable('feature_environments')
    .set({ enabled })
    .where('feature_name', '=', featureName)
    .where('environment', '=', environment)
    .execute();
}

/** Switches flags off in every environment. Returns the environments in which each flag was on. */
export async function updateToDisabled(
  trx: Transaction<FlagsTables>,
  featureNames: readonly string[],
): Promise<Map<string, string[]>> {
  if (featureNames.length === 0) return new Map();
  const rows = await trx
    .updateTable('feature_environments')
    .set({ enabled: false })
    .where('feature_name', '=', sql<string>`any(${featureNames}::text[])`)
    .where('enabled', '=', true)
    .returning(['feature_name', 'environment'])
    .execute();
  const environments = Map.groupBy(rows, ({ feature_name }) => feature_name);
  return new Map(
    [...environments].map(([name, places]) => [name, places.map(({ environment }) => environment).sort()]),
  );
}
