import { lockAndMeasure, sql, type Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { IntegrationsTables } from '../db/schema.ts';

/**
 * What all integrations may have together, as they are stored. A list of integrations decrypts all of it, and intake
 * reads it with each change. It has room for fifty of the largest configuration, and for thousands of ordinary ones.
 */
const maxTotalBytes = 10_000_000;

/**
 * Throws `limit-exceeded` if the integrations have more bytes than they may. Call it after one was inserted or has
 * grown: those that are beyond the limit already may shrink.
 */
export async function requireRoomForIntegrations(trx: Transaction<IntegrationsTables>): Promise<void> {
  const measured = sql<number>`(select sum(octet_length(i::text))::float8 from integrations i)`;
  if ((await lockAndMeasure(trx, 'yardarm integrations: bytes of integrations', measured)) <= maxTotalBytes) return;
  throw new AppError(
    'limit-exceeded',
    `All integrations may have at most ${maxTotalBytes} bytes together. Delete one before you add another.`,
  );
}
