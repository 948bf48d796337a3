import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { InitialToken } from '../initial-tokens/initial-token.ts';
import { heldRoles } from '../roles/roles.repo.ts';
import type { StoredPersonalToken, StoredToken } from './token.ts';

/** The constraint that decides between two creators of one description for one account. */
export const descriptionConstraint = 'tokens_user_id_name_key';

const personalColumns = ['id', 'user_id', 'name', 'created_at', 'seen_at', 'expires_at'] as const;

interface PersonalRow {
  id: number;
  user_id: number | null;
  name: string;
  created_at: Date;
  seen_at: Date | null;
  expires_at: Date | null;
}

/** The token with this selector, its owner and all roles of the owner, through groups too: one statement, so one moment. */
export async function findTokenBySelector(db: Kysely<AccountsTables>, selector: string): Promise<StoredToken | null> {
  const row = await db
    .selectFrom('tokens')
    .leftJoin('users', 'users.id', 'tokens.user_id')
    .where('tokens.selector', '=', selector)
    .select([
      ...(['tokens.id', 'tokens.kind', 'tokens.name', 'tokens.selector', 'tokens.hash'] as const),
      ...(['tokens.expires_at', 'tokens.environment', 'tokens.projects'] as const),
      ...(['users.id as owner_id', 'users.kind as owner_kind', 'users.username', 'users.email'] as const),
      ...(['users.name as owner_name', 'users.deleted_at', 'users.must_change_password'] as const),
      heldRoles.as('roles'),
    ])
    .executeTakeFirst();
  if (!row) return null;
  const { id, kind, name, hash, environment, projects, owner_id, owner_kind, username, email, roles } = row;
  const isDeleted = row.deleted_at !== null;
  const mustChangePassword = row.must_change_password === true;
  const owner =
    owner_id === null || owner_kind === null
      ? null
      : { id: owner_id, kind: owner_kind, username, name: row.owner_name, email, isDeleted, mustChangePassword, roles };
  return { id, kind, name, selector, hash, expiresAt: row.expires_at, environment, projects, owner };
}

/** Inserts a personal token; violates `descriptionConstraint` when the user has one of that description. */
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
    .returning(personalColumns)
    .executeTakeFirstOrThrow();
  return toPersonal(row);
}

/** Inserts a token that a setting gave, unless it is there; null when it was. */
export async function insertInitialToken(
  trx: Transaction<AccountsTables>,
  { kind, name, selector, hash, environment, projects }: InitialToken,
): Promise<{ id: number; createdAt: Date } | null> {
  const row = await trx
    .insertInto('tokens')
    .values({ kind, name, selector, hash, environment, projects })
    .onConflict((conflict) => conflict.constraint('tokens_selector_key').doNothing())
    .returning(['id', 'created_at'])
    .executeTakeFirst();
  return row ? { id: row.id, createdAt: row.created_at } : null;
}

/** The tokens of one user, oldest first. */
export async function findPersonalTokens(db: Kysely<AccountsTables>, userId: number): Promise<StoredPersonalToken[]> {
  const rows = await db
    .selectFrom('tokens')
    .select(personalColumns)
    .where('user_id', '=', sql<number>`${userId}::bigint`)
    .orderBy('id')
    .execute();
  return rows.map(toPersonal);
}

/** The tokens of every service account, oldest first. */
export async function findPersonalTokensOfServiceAccounts(db: Kysely<AccountsTables>): Promise<StoredPersonalToken[]> {
  const rows = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(personalColumns.map((column) => `tokens.${column}` as const))
    .where('users.kind', '=', 'service-account')
    .where('users.deleted_at', 'is', null)
    .orderBy('tokens.id')
    .execute();
  return rows.map(toPersonal);
}

/** Deletes a token of a user; null when there is none. */
export async function deletePersonalToken(
  trx: Transaction<AccountsTables>,
  userId: number,
  id: number,
): Promise<{ token: StoredPersonalToken; selector: string } | null> {
  const row = await trx
    .deleteFrom('tokens')
    .where('id', '=', sql<number>`${id}::bigint`)
    .where('user_id', '=', sql<number>`${userId}::bigint`)
    .returning([...personalColumns, 'selector'])
    .executeTakeFirst();
  return row ? { token: toPersonal(row), selector: row.selector } : null;
}

function toPersonal(row: PersonalRow): StoredPersonalToken {
  // Never null for this kind: tokens_scope_check.
  const { user_id, expires_at } = row as { user_id: number; expires_at: Date };
  const { id, name, created_at, seen_at } = row;
  return { id, userId: user_id, description: name, createdAt: created_at, seenAt: seen_at, expiresAt: expires_at };
}
