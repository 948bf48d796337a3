import { type Kysely, lockAndCount, sql, type Transaction } from '@yardarm/shared/db';
import type { Sealed } from '@yardarm/shared/encryption';
import type { AccountsTables } from '../db/schema.ts';
import type { ApiTokenKind, ApiTokenScope, StoredApiToken } from './api-token.ts';

const columns = [
  ...(['id', 'kind', 'name', 'selector', 'projects', 'environment'] as const),
  ...(['created_at', 'seen_at', 'expires_at', 'sealed_secret', 'sealed_key'] as const),
] as const;

const kinds = ['client', 'frontend', 'admin'] as const;

interface Row {
  id: number;
  kind: string;
  name: string;
  selector: string;
  projects: string[];
  environment: string | null;
  created_at: Date;
  seen_at: Date | null;
  expires_at: Date | null;
  sealed_secret: string | null;
  sealed_key: string | null;
}

/** Counts the API tokens. Until the transaction ends, other callers wait, so that none creates a token. */
export function lockAndCountApiTokens(trx: Transaction<AccountsTables>): Promise<number> {
  const counted = sql`tokens where kind = any(${[...kinds]}::text[])`;
  return lockAndCount(trx, 'yardarm accounts: number of API tokens', counted);
}

export async function insertApiToken(
  trx: Transaction<AccountsTables>,
  {
    scope,
    ...token
  }: {
    scope: ApiTokenScope;
    name: string;
    expiresAt: Date | null;
    selector: string;
    hash: string;
    sealed: Sealed | null;
  },
): Promise<StoredApiToken> {
  const { name, selector, hash, sealed, expiresAt: expires_at } = token;
  const row = await trx
    .insertInto('tokens')
    .values({ ...scope, name, selector, hash, expires_at, ...sealedColumns(sealed) })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return toStored(row);
}

/** The tokens of these kinds, oldest first; with a name, only those of that name. */
export async function findApiTokens(
  db: Kysely<AccountsTables>,
  filter: { kinds: readonly ApiTokenKind[]; name?: string | undefined },
): Promise<StoredApiToken[]> {
  if (filter.kinds.length === 0) return [];
  const { name } = filter;
  const rows = await db
    .selectFrom('tokens')
    .select(columns)
    .where('kind', 'in', filter.kinds)
    .$if(name !== undefined, (query) => query.where('name', '=', name as string))
    .orderBy('id')
    .execute();
  return rows.map(toStored);
}

/** The SDK tokens of this project, oldest first. */
export async function findApiTokensOfProject(db: Kysely<AccountsTables>, project: string): Promise<StoredApiToken[]> {
  const rows = await db
    .selectFrom('tokens')
    .select(columns)
    .where('kind', 'in', ['client', 'frontend'])
    .where(sql<boolean>`projects @> ${[project]}::text[]`)
    .orderBy('id')
    .execute();
  return rows.map(toStored);
}

/** The number of SDK tokens by environment; with a project, of those that read it or every project. */
export async function countApiTokensByEnvironment(
  db: Kysely<AccountsTables>,
  project: string | undefined,
): Promise<{ environment: string; count: number }[]> {
  const { rows } = await sql<{ environment: string; count: number }>`
    select environment, count(*)::integer as count from tokens
    where kind in ('client', 'frontend')
      and (${project ?? null}::text is null or projects && array[${project ?? null}::text, '*'])
    group by environment`.execute(db);
  return rows;
}

/** Locks the token with the first of these selectors that exists, until the transaction ends. */
export async function lockApiToken(
  trx: Transaction<AccountsTables>,
  selectors: readonly string[],
): Promise<StoredApiToken | null> {
  for (const selector of selectors) {
    const row = await trx
      .selectFrom('tokens')
      .select(columns)
      .where('selector', '=', selector)
      .where('kind', 'in', kinds)
      .forUpdate()
      .executeTakeFirst();
    if (row) return toStored(row);
  }
  return null;
}

/** Locks the SDK tokens of this project until the transaction ends. Tokens for every project are not among them. */
export async function lockApiTokensOfProject(
  trx: Transaction<AccountsTables>,
  project: string,
): Promise<StoredApiToken[]> {
  const rows = await trx
    .selectFrom('tokens')
    .select(columns)
    .where('kind', 'in', ['client', 'frontend'])
    .where(sql<boolean>`projects @> ${[project]}::text[]`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(toStored);
}

/** Locks the SDK tokens of this environment until the transaction ends. */
export async function lockApiTokensOfEnvironment(
  trx: Transaction<AccountsTables>,
  environment: string,
): Promise<StoredApiToken[]> {
  const rows = await trx
    .selectFrom('tokens')
    .select(columns)
    .where('environment', '=', environment)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(toStored);
}

/** Removes a project from the SDK tokens that name it. A constraint refuses a token without a project. */
export async function removeProjectFromTokens(trx: Transaction<AccountsTables>, project: string): Promise<void> {
  await sql`
    update tokens set projects = array_remove(projects, ${project})
    where kind in ('client', 'frontend') and projects @> ${[project]}::text[]`.execute(trx);
}

/** A token that has expired has no readable secret any more, also when it becomes valid again before the sweep. */
export async function updateApiTokenExpiry(
  trx: Transaction<AccountsTables>,
  id: number,
  expiresAt: Date | null,
): Promise<void> {
  await sql`
    update tokens set
      expires_at = ${expiresAt},
      sealed_secret = case when expires_at < now() then null else sealed_secret end,
      sealed_key = case when expires_at < now() then null else sealed_key end
    where id = ${id}`.execute(trx);
}

/** Deletes tokens permanently: a setting that still names one does not create it again. */
export async function retireApiTokens(
  trx: Transaction<AccountsTables>,
  tokens: readonly { id: number; selector: string }[],
): Promise<void> {
  if (tokens.length === 0) return;
  const ids = tokens.map(({ id }) => id);
  await trx.deleteFrom('tokens').where('id', 'in', ids).execute();
  await trx
    .insertInto('retired_tokens')
    .values(tokens.map(({ selector }) => ({ selector })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function sealedColumns(sealed: Sealed | null): { sealed_secret: string | null; sealed_key: string | null } {
  return { sealed_secret: sealed?.text ?? null, sealed_key: sealed?.keyId ?? null };
}

function toStored(row: Row): StoredApiToken {
  const { id, name, selector, projects, environment } = row;
  const sealed = row.sealed_secret === null ? null : { text: row.sealed_secret, keyId: row.sealed_key };
  return {
    ...{ id, name, selector, sealed, projects, environment, kind: row.kind as ApiTokenKind },
    ...{ createdAt: row.created_at, seenAt: row.seen_at, expiresAt: row.expires_at },
  };
}
