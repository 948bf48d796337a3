import { sql, type Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { IntegrationsTables } from '../db/schema.ts';

/**
 * What all integrations may have together, as they are stored. A list of integrations decrypts all of it, and intake
 * reads it with each change. It has room for fifty of the largest configuration, and for thousands of ordinary ones.
 */
const maxTotalBytes = 10_000_000;

/**
 * Throws `limit-exceeded` if the integrations have more bytes than they may. Call it after one was inserted or has
 * grown: those that are beyond the limit already may shrink. The lock lets concurrent writers not exceed it together.
 */
export async function requireRoomForIntegrations(trx: Transaction<IntegrationsTables>): Promise<void> {
  const [, rows] = await trx.batch(
    sql`select pg_advisory_xact_lock(hashtext('limit of integrations'))`,
    sql<{ bytes: number }>`select sum(octet_length(i::text))::float8 as bytes from integrations i`,
  );
  if (rows[0]!.bytes <= maxTotalBytes) return;
  throw new AppError(
    'limit-exceeded',
    `All integrations may have at most ${maxTotalBytes} bytes together. Delete one before you add another.`,
  );
}
