import { prepared, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { HourlyUsage } from './usage.ts';

/** What a row of usage adds to the stored ones. */
export interface NewUsage {
  index: number;
  isNew: boolean;
  /** The names of its variants that are not stored. */
  variants: string[];
}

/** Finds the rows that would make a row or a name of a variant. Flags that are not in the environment make none. */
export async function findNewUsage(
  trx: Transaction<FlagsTables>,
  rows: readonly HourlyUsage[],
): Promise<readonly NewUsage[]> {
  if (rows.length === 0) return [];
  const sent = rows.map(({ featureName, environment, application, hour, variants }, index) => {
    return { index, featureName, environment, application, hour, variants: Object.keys(variants) };
  });
  const { rows: found } = await prepared('find-new-usage')<NewUsage>`
    select * from (
      select sent.index, stored.variants is null as "isNew", array(
        select name from unnest(sent.variants) as name
        where stored.variants is null or not jsonb_exists(stored.variants, name)
      ) as variants
      from json_to_recordset(${JSON.stringify(sent)}::json) as sent (
        index integer, "featureName" text, environment text, application text, hour timestamptz, variants text[])
      join feature_environments fe on fe.feature_name = sent."featureName" and fe.environment = sent.environment
      left join lateral (
        select variants from feature_usage u
        where u.feature_name = sent."featureName" and u.environment = sent.environment
          and u.application = sent.application and u.hour = sent.hour
        limit 1
      ) as stored on true
    ) as compared
    where "isNew" or cardinality(variants) > 0
    order by index`.execute(trx);
  return found;
}
