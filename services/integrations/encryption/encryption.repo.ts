import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { Sealed } from '@yardarm/shared/encryption';
import type { IntegrationsTables } from '../db/schema.ts';

export async function lockKeyId(trx: Transaction<IntegrationsTables>): Promise<string | null> {
  const row = await trx.selectFrom('encryption').select('key_id').forUpdate().executeTakeFirstOrThrow();
  return row.key_id;
}

export async function updateKeyId(trx: Transaction<IntegrationsTables>, keyId: string): Promise<void> {
  await trx.updateTable('encryption').set({ key_id: keyId }).execute();
}

/** The ids of integrations whose parameters are plain text or encrypted with another key. */
export async function findIntegrationsWithOtherKey(db: Kysely<IntegrationsTables>, keyId: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from integrations where parameters_key is distinct from ${keyId} order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks the parameters of one integration, also of a deleted one. */
export async function lockParameters(
  trx: Transaction<IntegrationsTables>,
  id: number,
): Promise<{ provider: string; parameters: Sealed } | undefined> {
  const row = await trx
    .selectFrom('integrations')
    .select(['provider', 'parameters', 'parameters_key'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && { provider: row.provider, parameters: { keyId: row.parameters_key, text: row.parameters } };
}

export async function updateParameters(
  trx: Transaction<IntegrationsTables>,
  id: number,
  { keyId, text }: Sealed,
): Promise<void> {
  await trx.updateTable('integrations').set({ parameters: text, parameters_key: keyId }).where('id', '=', id).execute();
}
