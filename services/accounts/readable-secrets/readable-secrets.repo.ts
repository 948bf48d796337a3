import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { Sealed } from '@yardarm/shared/encryption';
import type { AccountsTables } from '../db/schema.ts';

/** The numbers of stored secrets by the key that they are encrypted with. */
export async function countSecretsByKey(db: Kysely<AccountsTables>): Promise<{ keyId: string; count: number }[]> {
  const { rows } = await sql<{ keyId: string; count: number }>`
    select sealed_key as "keyId", count(*)::integer as count from tokens
    where sealed_key is not null group by sealed_key`.execute(db);
  return rows;
}

/** The ids of tokens whose secret is encrypted with one of these keys. */
export async function findTokensOfKeys(db: Kysely<AccountsTables>, keyIds: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from tokens where sealed_key = any(${keyIds}::text[]) order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks a token that exists, with its encrypted secret. */
export async function lockSecret(
  trx: Transaction<AccountsTables>,
  id: number,
): Promise<{ selector: string; sealed: Sealed } | null> {
  const row = await trx
    .selectFrom('tokens')
    .select(['selector', 'sealed_secret', 'sealed_key'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row?.sealed_secret) return null;
  return { selector: row.selector, sealed: { keyId: row.sealed_key, text: row.sealed_secret } };
}

export async function updateSecret(
  trx: Transaction<AccountsTables>,
  id: number,
  { keyId, text }: Sealed,
): Promise<void> {
  await trx.updateTable('tokens').set({ sealed_secret: text, sealed_key: keyId }).where('id', '=', id).execute();
}

/** Deletes the encrypted secrets of all tokens, and returns their number. The tokens work on. */
export async function deleteAllSecrets(db: Kysely<AccountsTables>): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ sealed_secret: null, sealed_key: null })
    .where('sealed_secret', 'is not', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Deletes the encrypted secrets of tokens that have expired. */
export async function deleteExpiredSecrets(db: Kysely<AccountsTables>): Promise<void> {
  await sql`
    update tokens set sealed_secret = null, sealed_key = null
    where sealed_secret is not null and expires_at < now()`.execute(db);
}
