import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { StoredEndpointToken } from './endpoint-token.ts';

/** Makes token names unique within an endpoint. */
export const tokenNameConstraint = 'signal_endpoint_tokens_endpoint_id_name_key';

interface Row {
  id: number;
  endpoint_id: number;
  name: string;
  selector: string;
  created_at: Date;
  created_by_user_id: number;
}

const columns = ['id', 'endpoint_id', 'name', 'selector', 'created_at', 'created_by_user_id'] as const;

/** Violates `tokenNameConstraint` when the endpoint already has a token with this name. */
export async function insertEndpointToken(
  trx: Transaction<SignalsTables>,
  token: { endpointId: number; name: string; selector: string; hash: string; createdByUserId: number },
): Promise<StoredEndpointToken> {
  const { endpointId, name, selector, hash, createdByUserId } = token;
  const row = await trx
    .insertInto('signal_endpoint_tokens')
    .values({ endpoint_id: endpointId, name, selector, hash, created_by_user_id: createdByUserId })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return toStored(row);
}

/** Oldest first. */
export async function findAllEndpointTokens(db: Kysely<SignalsTables>): Promise<StoredEndpointToken[]> {
  return (await db.selectFrom('signal_endpoint_tokens').select(columns).orderBy('id').execute()).map(toStored);
}

/** Oldest first. */
export async function findEndpointTokens(
  db: Kysely<SignalsTables>,
  endpointId: number,
): Promise<StoredEndpointToken[]> {
  const rows = await db
    .selectFrom('signal_endpoint_tokens')
    .select(columns)
    .where('endpoint_id', '=', sql<number>`${endpointId}::bigint`)
    .orderBy('id')
    .execute();
  return rows.map(toStored);
}

/** The token, if it belongs to the endpoint. */
export async function findEndpointToken(
  db: Kysely<SignalsTables>,
  endpointId: number,
  id: number,
): Promise<StoredEndpointToken | undefined> {
  const row = await db
    .selectFrom('signal_endpoint_tokens')
    .select(columns)
    .where('endpoint_id', '=', sql<number>`${endpointId}::bigint`)
    .where('id', '=', sql<number>`${id}::bigint`)
    .executeTakeFirst();
  return row && toStored(row);
}

/** Violates `tokenNameConstraint` when the endpoint has another token with this name. */
export async function updateEndpointTokenName(
  trx: Transaction<SignalsTables>,
  id: number,
  name: string,
): Promise<void> {
  await trx.updateTable('signal_endpoint_tokens').set({ name }).where('id', '=', id).execute();
}

export async function deleteEndpointTokenRow(trx: Transaction<SignalsTables>, id: number): Promise<void> {
  await trx.deleteFrom('signal_endpoint_tokens').where('id', '=', id).execute();
}

function toStored({ endpoint_id, created_at, created_by_user_id, ...row }: Row): StoredEndpointToken {
  return { ...row, endpointId: endpoint_id, createdAt: created_at, createdByUserId: created_by_user_id };
}
