import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

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

/**
 * Whether each flag is on in an environment; without those that are not in it. The caller has locked the flags' rows.
 */
export async function findEnabledByFeature(
  trx: Transaction<FlagsTables>,
  featureNames: readonly string[],
  environment: string,
): Promise<Map<string, boolean>> {
  const rows = await trx
    .selectFrom('feature_environments')
    .select(['feature_name', 'enabled'])
    .where('feature_name', '=', sql<string>`any(${featureNames}::text[])`)
    .where('environment', '=', environment)
    .execute();
  return new Map(rows.map(({ feature_name, enabled }) => [feature_name, enabled]));
}

export async function updateEnabled(
  trx: Transaction<FlagsTables>,
  featureNames: readonly string[],
  environment: string,
  enabled: boolean,
): Promise<void> {
  await trx
    .updateTable('feature_environments')
    .set({ enabled })
    .where('feature_name', '=', sql<string>`any(${featureNames}::text[])`)
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
