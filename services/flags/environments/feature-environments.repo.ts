import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** Whether the flag is on there; null when it is not in that environment. Its row is locked by the caller, and this with it. */
export async function isEnabledIn(
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

export async function setEnabled(
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

/** Switches flags off wherever they are on; answers where that was, by flag. */
export async function switchAllOff(
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
