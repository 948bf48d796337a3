import type { Transaction } from '@yardarm/shared/db';
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

/** Switches the flag off wherever it is on; answers where that was. */
export async function switchAllOff(trx: Transaction<FlagsTables>, featureName: string): Promise<string[]> {
  const rows = await trx
    .updateTable('feature_environments')
    .set({ enabled: false })
    .where('feature_name', '=', featureName)
    .where('enabled', '=', true)
    .returning('environment')
    .execute();
  return rows.map(({ environment }) => environment).sort();
}
