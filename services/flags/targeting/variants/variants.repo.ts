import type { Variant } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

/** The variants of a flag of the project in an environment, archived or not. Null when there is no such place. */
export async function findVariants(
  db: Kysely<FlagsTables>,
  { project, featureName, environment }: { project: string; featureName: string; environment: string },
): Promise<Variant[] | null> {
  const row = await db
    .selectFrom('feature_environments')
    .select('variants')
    .where('project', '=', project)
    .where('feature_name', '=', featureName)
    .where('environment', '=', environment)
    .executeTakeFirst();
  return row?.variants ?? null;
}

/**
 * The variants by environment, in the order of the environments. Those that the flag is not in are missing. The caller
 * has locked the flag.
 */
export async function findVariantsIn(
  trx: Transaction<FlagsTables>,
  featureName: string,
  environments: readonly string[],
): Promise<Map<string, Variant[]>> {
  const { rows } = await sql<{ environment: string; variants: Variant[] }>`
    select environment, variants from feature_environments
    where feature_name = ${featureName} and environment = any(${environments}::text[])
    order by array_position(${environments}::text[], environment)`.execute(trx);
  return new Map(rows.map(({ environment, variants }) => [environment, variants]));
}

export async function updateVariants(
  trx: Transaction<FlagsTables>,
  featureName: string,
  environments: readonly string[],
  variants: readonly Variant[],
): Promise<void> {
  await sql`
    update feature_environments set variants = ${JSON.stringify(variants)}
    where feature_name = ${featureName} and environment = any(${environments}::text[])`.execute(trx);
}

/** The size of the strategies and variants of a flag in all environments. The caller has locked the flag. */
export async function findFeatureBytes(trx: Transaction<FlagsTables>, featureName: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (
      select coalesce(
        sum(octet_length(parameters::text) + octet_length(constraints::text) + octet_length(variants::text)), 0)
      from feature_strategies where feature_name = ${featureName}
    )::integer + (
      select coalesce(sum(octet_length(variants::text)), 0)
      from feature_environments where feature_name = ${featureName}
    )::integer as bytes`.execute(trx);
  return rows[0]!.bytes;
}
