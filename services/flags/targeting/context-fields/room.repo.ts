import { lockAndMeasure, sql, type Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { FlagsTables } from '../../db/schema.ts';

/**
 * What all context fields may have together. A list of fields has all of it, and a process reads several lists at once.
 * It has room for twenty fields with 5,000 long legal values each, or for tens of thousands without any.
 */
const maxFieldBytes = 10_000_000;

/** The names of the properties in a list, times, and what else does not grow. */
const bytesOfRest = sql.lit(200);

/**
 * Throws `limit-exceeded` if the fields have more bytes than they may. Call it after a field was inserted or has grown:
 * fields that are beyond the limit already may shrink. The lock comes where that of `requireWithinLimit` does.
 */
export async function requireRoomForFields(trx: Transaction<FlagsTables>): Promise<void> {
  const measured = sql<number>`(
    select coalesce(sum(${bytesOfRest} + octet_length(name) + octet_length(coalesce(description, ''))
      + octet_length(legal_values::text)), 0)::float8
    from context_fields)`;
  if ((await lockAndMeasure(trx, 'yardarm flags: bytes of context fields', measured)) <= maxFieldBytes) return;
  throw new AppError(
    'limit-exceeded',
    `All context fields may have at most ${maxFieldBytes} bytes together, with their legal values. Remove some before you add others.`,
  );
}
