import { prepared, sql, type Transaction } from '@yardarm/shared/db';
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
 * Whether each flag is on in an environment of its own; without those that are not in it. The caller has locked the
 * flags' rows.
 */
export async function findEnabled(
  trx: Transaction<FlagsTables>,
  places: readonly { featureName: string; environment: string }[],
): Promise<Map<string, boolean>> {
  const { rows } = await prepared('find-enabled')<{ feature_name: string; enabled: boolean }>`
    select feature_name, enabled
    from unnest(
      ${places.map(({ featureName }) => featureName)}::text[], ${places.map(({ environment }) => environment)}::text[]
    ) as place (feature_name, environment)
    join feature_environments using (feature_name, environment)`.execute(trx);
  return new Map(rows.map(({ feature_name, enabled }) => [feature_name, enabled]));
}

/** Without waiting for the result. */
export function updateEnabled(
  trx: Transaction<FlagsTables>,
  places: readonly { featureName: string; environment: string; enabled: boolean }[],
): void {
  trx.pipeline(prepared('update-enabled')`
    update feature_environments fe set enabled = place.enabled
    from unnest(
      ${places.map(({ featureName }) => featureName)}::text[], ${places.map(({ environment }) => environment)}::text[],
      ${places.map(({ enabled }) => enabled)}::boolean[]
    ) as place (feature_name, environment, enabled)
    where fe.feature_name = place.feature_name and fe.environment = place.environment`);
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
