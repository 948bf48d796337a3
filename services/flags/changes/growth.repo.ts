import { prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { FlagPlace } from './growth.ts';

/** The places of flags with the sizes of all three, in the order of environments and projects. It locks nothing. */
export async function findFlagPlaces(
  trx: Transaction<FlagsTables>,
  featureNames: readonly string[],
): Promise<FlagPlace[]> {
  const { rows } = await prepared('find-flag-places')<FlagPlace>`
    select fe.feature_name as "featureName", environment, project, fe.bytes as "flagBytes", place.bytes as "placeBytes",
      coalesce(known.units, 0) as "environmentUnits"
    from feature_environments fe
      join revisions place using (environment, project)
      left join environment_bytes known using (environment)
    where fe.feature_name = any(${sql`${featureNames}`}::text[])
    order by environment, project`.execute(trx);
  return rows;
}
