import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { StoredPersonalToken } from './personal-token.ts';

/** The constraint that decides between concurrent creations with the same description. */
export const descriptionConstraint = 'tokens_user_id_name_key';

const columns = ['id', 'user_id', 'name', 'created_at', 'seen_at', 'expires_at'] as const;

interface Row {
  id: number;
  user_id: number | null;
  name: string;
  created_at: Date;
  seen_at: Date | null;
  expires_at: Date | null;
}

/** Violates `descriptionConstraint` when the account has a token with that description. */
export async function insertPersonalToken(
  trx: Transaction<AccountsTables>,
  token: { userId: number; description: string; expiresAt: Date; selector: string; hash: string },
): Promise<StoredPersonalToken> {
  const row = await trx
    .insertInto('tokens')
    .values({
      kind: 'personal',
      name: token.description,
      user_id: token.userId,
      expires_at: token.expiresAt,
      selector: token.selector,
      hash: token.hash,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return toStored(row);
}

/**
 * Counts the tokens of a person, null without one. Other callers and a deletion of the person wait for the
 * transaction.
 */
export async function lockAndCountPersonalTokens(
  trx: Transaction<AccountsTables>,
  userId: number,
): Promise<number | null> {
  const person = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '=', sql<number>`${userId}::bigint`)
    .where('kind', '=', 'user')
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!person) return null;
  const { count } = await trx
    .selectFrom('tokens')
    .select((e) => e.cast<number>(e.fn.countAll(), 'integer').as('count'))
    .where('user_id', '=', person.id)
    .where('kind', '=', 'personal')
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether a session or personal token of a person still exists. */
export async function hasTokenOf(trx: Transaction<AccountsTables>, userId: number, id: number): Promise<boolean> {
  const row = await trx
    .selectFrom('tokens')
    .select('id')
    .where('id', '=', sql<number>`${id}::bigint`)
    .where('user_id', '=', sql<number>`${userId}::bigint`)
    .executeTakeFirst();
  return row !== undefined;
}

/** The personal tokens of one account, oldest first. */
export async function findPersonalTokens(db: Kysely<AccountsTables>, userId: number): Promise<StoredPersonalToken[]> {
  const rows = await db
    .selectFrom('tokens')
    .select(columns)
    .where('user_id', '=', sql<number>`${userId}::bigint`)
    .where('kind', '=', 'personal')
    .orderBy('id')
    .execute();
  return rows.map(toStored);
}

/** The tokens of every service account, oldest first. */
export async function findPersonalTokensOfServiceAccounts(db: Kysely<AccountsTables>): Promise<StoredPersonalToken[]> {
  const rows = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(columns.map((column) => `tokens.${column}` as const))
    .where('users.kind', '=', 'service-account')
    .where('users.deleted_at', 'is', null)
    .orderBy('tokens.id')
    .execute();
  return rows.map(toStored);
}

export async function deletePersonalToken(
  trx: Transaction<AccountsTables>,
  userId: number,
  id: number,
): Promise<{ token: StoredPersonalToken; selector: string } | null> {
  const row = await trx
    .deleteFrom('tokens')
    .where('id', '=', sql<number>`${id}::bigint`)
    .where('user_id', '=', sql<number>`${userId}::bigint`)
    .where('kind', '=', 'personal')
    .returning([...columns, 'selector'])
    .executeTakeFirst();
  return row ? { token: toStored(row), selector: row.selector } : null;
}

/** Deletes the personal tokens of an account, oldest first. */
export async function deletePersonalTokens(
  trx: Transaction<AccountsTables>,
  userId: number,
): Promise<{ token: StoredPersonalToken; selector: string }[]> {
  const rows = await trx
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where('kind', '=', 'personal')
    .returning([...columns, 'selector'])
    .execute();
  return rows.sort((a, b) => a.id - b.id).map((row) => ({ token: toStored(row), selector: row.selector }));
}

/** Deletes all tokens of an account, oldest first. `token` is null for sessions. */
export async function deleteTokensOf(
  trx: Transaction<AccountsTables>,
  userId: number,
): Promise<{ token: StoredPersonalToken | null; selector: string }[]> {
  const rows = await trx
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .returning([...columns, 'kind', 'selector'])
    .execute();
  return rows
    .sort((a, b) => a.id - b.id)
    .map((row) => ({ token: row.kind === 'personal' ? toStored(row) : null, selector: row.selector }));
}

function toStored(row: Row): StoredPersonalToken {
  // Never null for this kind: tokens_scope_check.
  const { user_id, expires_at } = row as { user_id: number; expires_at: Date };
  const { id, name, created_at, seen_at } = row;
  return { id, userId: user_id, description: name, createdAt: created_at, seenAt: seen_at, expiresAt: expires_at };
}
