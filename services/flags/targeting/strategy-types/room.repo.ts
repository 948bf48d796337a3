import { lockAndMeasure, sql, type Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { FlagsTables } from '../../db/schema.ts';

/**
 * What all custom types may have together. A list of types has all of it, and browsers read it with each form of a
 * strategy. It has room for eighty of the largest types, or for thousands with some parameters.
 */
const maxTypeBytes = 10_000_000;

/** The names of the properties in a list, and what else does not grow. */
const bytesOfRest = sql.lit(100);

/**
 * Throws `limit-exceeded` if the types have more bytes than they may. Call it after a type was inserted or has grown:
 * types that are beyond the limit already may shrink. No change of a type takes another lock after this one but those of
 * `recordChange`.
 */
export async function requireRoomForTypes(trx: Transaction<FlagsTables>): Promise<void> {
  const measured = sql<number>`(
    select coalesce(sum(${bytesOfRest} + octet_length(name) + octet_length(coalesce(title, ''))
      + octet_length(coalesce(description, '')) + octet_length(parameters::text)), 0)::float8
    from strategy_types)`;
  if ((await lockAndMeasure(trx, 'yardarm flags: bytes of strategy types', measured)) <= maxTypeBytes) return;
  throw new AppError(
    'limit-exceeded',
    `All custom types of strategies may have at most ${maxTypeBytes} bytes together, with their parameters. Remove some before you add others.`,
  );
}
