import type { SignalToken } from '@yardarm/shared/contracts/signals';
import { type Kysely, lockAndCount, prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import type { EndpointDefinition, StoredEndpoint } from './endpoint.ts';

/** Makes endpoint names unique. */
export const endpointNameConstraint = 'signal_endpoints_name_key';

interface Row {
  id: number;
  enabled: boolean;
  name: string;
  description: string | null;
  rate_per_second: number | null;
  created_at: Date;
  created_by_user_id: number;
}

const columns = [
  ...(['id', 'enabled', 'name', 'description', 'rate_per_second', 'created_at', 'created_by_user_id'] as const),
];

/** The number of endpoints. Concurrent creations wait until the transaction ends. */
export function lockEndpointCount(trx: Transaction<SignalsTables>): Promise<number> {
  return lockAndCount(trx, 'yardarm signals: number of endpoints', sql`signal_endpoints`);
}

/** Inserts an endpoint and its row of admissions. Violates `endpointNameConstraint` when the name is in use. */
export async function insertEndpoint(
  trx: Transaction<SignalsTables>,
  endpoint: EndpointDefinition & { createdByUserId: number },
): Promise<StoredEndpoint> {
  const { name, enabled, description, ratePerSecond, createdByUserId } = endpoint;
  const row = await trx
    .insertInto('signal_endpoints')
    .values({ name, enabled, description, rate_per_second: ratePerSecond, created_by_user_id: createdByUserId })
    .returning(columns)
    .executeTakeFirstOrThrow();
  await trx.insertInto('admissions').values({ endpoint_id: row.id }).execute();
  return toStored(row);
}

/** All signal endpoints, the oldest one first, for lists. */
export async function findEndpoints(db: Kysely<SignalsTables>): Promise<StoredEndpoint[]> {
  return (await db.selectFrom('signal_endpoints').select(columns).orderBy('id').execute()).map(toStored);
}

export async function hasEndpoint(db: Kysely<SignalsTables>, id: number): Promise<boolean> {
  return (await endpointById(db, id).executeTakeFirst()) !== undefined;
}

/** Locks the endpoint. Neither it nor its tokens change until the transaction ends. */
export async function lockEndpoint(trx: Transaction<SignalsTables>, id: number): Promise<StoredEndpoint | undefined> {
  const row = await endpointById(trx, id).forUpdate().executeTakeFirst();
  return row && toStored(row);
}

/** Violates `endpointNameConstraint` when the name is in use. */
export async function updateEndpointRow(
  trx: Transaction<SignalsTables>,
  { id, name, enabled, description, ratePerSecond }: StoredEndpoint,
): Promise<void> {
  await trx
    .updateTable('signal_endpoints')
    .set({ name, enabled, description, rate_per_second: ratePerSecond })
    .where('id', '=', id)
    .execute();
}

/** Deletes an endpoint. Its tokens and admissions go with it, by their foreign keys. */
export async function deleteEndpointRow(trx: Transaction<SignalsTables>, id: number): Promise<void> {
  await trx.deleteFrom('signal_endpoints').where('id', '=', id).execute();
}

/** The token with this selector, with its endpoint. */
export async function findTokenWithEndpoint(
  db: Kysely<SignalsTables>,
  selector: string,
): Promise<SignalToken | undefined> {
  const { rows } = await prepared('find-signal-token')<SignalToken>`
    select t.id, t.selector, t.hash, json_build_object('id', e.id, 'name', e.name, 'enabled', e.enabled) as endpoint
    from signal_endpoint_tokens t join signal_endpoints e on e.id = t.endpoint_id
    where t.selector = ${selector}`.execute(db);
  return rows[0];
}

/** Those of the selectors that a token has. */
export async function findSelectors(db: Kysely<SignalsTables>, selectors: readonly string[]): Promise<string[]> {
  const tokens = db.selectFrom('signal_endpoint_tokens').where(sql<boolean>`selector = any(${selectors}::text[])`);
  return (await tokens.select('selector').execute()).map(({ selector }) => selector);
}

function endpointById(db: Kysely<SignalsTables>, id: number) {
  // The cast accepts any integer. One beyond the range of the column matches no row.
  return db.selectFrom('signal_endpoints').select(columns).where('id', '=', sql<number>`${id}::bigint`);
}

function toStored({ rate_per_second, created_at, created_by_user_id, ...row }: Row): StoredEndpoint {
  return { ...row, ratePerSecond: rate_per_second, createdAt: created_at, createdByUserId: created_by_user_id };
}
