import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { ApiTokenScope } from '../api-tokens/api-token.ts';
import type { AccountsTables } from '../db/schema.ts';
import type { StoredToken } from '../tokens/token.ts';

/** A SDK that still asks after a month has had an empty listing for as long. Then its token is unknown. */
const keptDays = 30;

/** Copies SDK tokens, without their environment. The caller deletes them in the same transaction. */
export async function insertOrphanedTokens(
  trx: Transaction<AccountsTables>,
  tokens: readonly { id: number }[],
): Promise<void> {
  const ids = tokens.map(({ id }) => id);
  await sql`
    insert into orphaned_tokens (id, kind, name, selector, hash, projects, expires_at)
    select id, kind, name, selector, hash, projects, expires_at from tokens where id = any(${ids}::integer[])`.execute(
    trx,
  );
}

/** The token, with no environment and no projects: it reads nothing. */
export async function findOrphanedToken(db: Kysely<AccountsTables>, selector: string): Promise<StoredToken | null> {
  const row = await db
    .selectFrom('orphaned_tokens')
    .select(['id', 'kind', 'name', 'selector', 'hash', 'expires_at'])
    .where('selector', '=', selector)
    .executeTakeFirst();
  if (!row) return null;
  const { expires_at: expiresAt, ...token } = row;
  return { ...token, expiresAt, environment: null, projects: [], owner: null };
}

/** Locks the token with the first of these selectors that exists, with the projects that it had. */
export async function lockOrphanedToken(
  trx: Transaction<AccountsTables>,
  selectors: readonly string[],
): Promise<(ApiTokenScope & { id: number; selector: string }) | null> {
  for (const selector of selectors) {
    const row = await trx
      .selectFrom('orphaned_tokens')
      .select(['id', 'kind', 'selector', 'projects'])
      .where('selector', '=', selector)
      .forUpdate()
      .executeTakeFirst();
    if (row) return { ...row, environment: null };
  }
  return null;
}

export async function deleteOrphanedToken(trx: Transaction<AccountsTables>, id: number): Promise<void> {
  await trx.deleteFrom('orphaned_tokens').where('id', '=', id).execute();
}

/** Deletes those that have expired or were kept long enough. Gateways ask again within 25 s, and need no hint. */
export async function deleteOldOrphanedTokens(db: Kysely<AccountsTables>): Promise<void> {
  await sql`
    delete from orphaned_tokens
    where orphaned_at < now() - make_interval(days => ${keptDays}::integer) or expires_at < now()`.execute(db);
}
