import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

/** Begins a session. Its name is its selector, since a user has many and a name of a user's tokens is unique. */
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

/** Ends one session of a user; its selector, or null when it has ended already. */
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

/** Ends the sessions of a user, all but the one that stays; their selectors. */
export async function deleteSessions(
  trx: Transaction<AccountsTables>,
  userId: number,
  stayingId: number | null,
): Promise<string[]> {
  const sessions = sessionsOf(trx, userId);
  const ended = stayingId === null ? sessions : sessions.where('id', '<>', sql<number>`${stayingId}::bigint`);
  return (await ended.returning('selector').execute()).map(({ selector }) => selector);
}

function sessionsOf(trx: Transaction<AccountsTables>, userId: number) {
  return trx.deleteFrom('tokens').where('kind', '=', 'session').where('user_id', '=', sql<number>`${userId}::bigint`);
}

/** Deletes sessions that have run out, at most so many; how many it were. No gateway takes them any more, so none need be told. */
export async function deleteExpiredSessions(db: Kysely<AccountsTables>, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('tokens')
    .where('id', 'in', (expired) =>
      expired
        .selectFrom('tokens')
        .select('id')
        .where('kind', '=', 'session')
        .where('expires_at', '<', sql<Date>`now()`)
        .limit(most)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
