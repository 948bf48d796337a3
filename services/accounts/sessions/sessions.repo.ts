import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

/** Inserts a session. Its name is its selector, since names of the tokens of one user are unique. */
export async function insertSession(
  trx: Transaction<AccountsTables>,
  session: { userId: number; selector: string; hash: string; lifeHours: number },
): Promise<{ expiresAt: Date }> {
  const row = await trx
    .insertInto('tokens')
    .values({
      kind: 'session',
      name: session.selector,
      selector: session.selector,
      hash: session.hash,
      user_id: session.userId,
      expires_at: sql<Date>`now() + ${session.lifeHours} * interval '1 hour'`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  // Never null for this kind: tokens_scope_check.
  return { expiresAt: row.expires_at as Date };
}

/** Deletes one session of a user. Returns its selector, or null when it does not exist. */
export async function deleteSession(
  trx: Transaction<AccountsTables>,
  { userId, sessionId }: { userId: number; sessionId: number },
): Promise<string | null> {
  const row = await sessionsOf(trx, userId)
    .where('id', '=', sql<number>`${sessionId}::bigint`)
    .returning('selector')
    .executeTakeFirst();
  return row?.selector ?? null;
}

/** Deletes the sessions of a user except `keptId`. Returns their selectors. */
export async function deleteSessions(
  trx: Transaction<AccountsTables>,
  userId: number,
  keptId: number | null,
): Promise<string[]> {
  const sessions = sessionsOf(trx, userId);
  const ended = keptId === null ? sessions : sessions.where('id', '<>', sql<number>`${keptId}::bigint`);
  return (await ended.returning('selector').execute()).map(({ selector }) => selector);
}

function sessionsOf(trx: Transaction<AccountsTables>, userId: number) {
  return trx.deleteFrom('tokens').where('kind', '=', 'session').where('user_id', '=', sql<number>`${userId}::bigint`);
}

/** Deletes at most `limit` expired sessions. Gateways check the expiry themselves and need no hint. */
export async function deleteExpiredSessions(db: Kysely<AccountsTables>, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('tokens')
    .where('id', 'in', (expired) =>
      expired
        .selectFrom('tokens')
        .select('id')
        .where('kind', '=', 'session')
        .where('expires_at', '<', sql<Date>`now()`)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
