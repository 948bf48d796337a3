import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Configuration, Filter, StoredIntegration } from './integration.ts';

interface Row {
  id: number;
  provider: string;
  description: string | null;
  enabled: boolean;
  parameters: string;
  events: string[];
  projects: string[];
  environments: string[];
  from_event_id: number;
  version: number;
}

const columns = [
  ...(['id', 'provider', 'description', 'enabled', 'parameters'] as const),
  ...(['events', 'projects', 'environments', 'from_event_id', 'version'] as const),
] as const;

export async function insertIntegration(
  trx: Transaction<IntegrationsTables>,
  configuration: Configuration,
  fromEventId: number,
): Promise<StoredIntegration> {
  const row = await trx
    .insertInto('integrations')
    .values({ ...toRow(configuration), from_event_id: fromEventId })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return toStored(row);
}

/** Every integration, oldest first. */
export async function findIntegrations(db: Kysely<IntegrationsTables>): Promise<StoredIntegration[]> {
  return (await db.selectFrom('integrations').select(columns).orderBy('id').execute()).map(toStored);
}

export async function findIntegration(
  db: Kysely<IntegrationsTables>,
  id: number,
): Promise<StoredIntegration | undefined> {
  const row = await byId(db, id).executeTakeFirst();
  return row && toStored(row);
}

/**
 * The integration, unchanged by others until the transaction ends. Every transaction that changes an integration or its deliveries takes
 * this lock first, so that two never wait for each other; new deliveries may be inserted meanwhile.
 */
export async function lockIntegration(
  trx: Transaction<IntegrationsTables>,
  id: number,
): Promise<StoredIntegration | undefined> {
  const row = await byId(trx, id).forNoKeyUpdate().executeTakeFirst();
  return row && toStored(row);
}

/** Writes what a locked integration is from now on. */
export async function changeIntegration(
  trx: Transaction<IntegrationsTables>,
  { id, version, fromEventId, ...configuration }: StoredIntegration,
): Promise<void> {
  await trx
    .updateTable('integrations')
    .set({ ...toRow(configuration), from_event_id: fromEventId, version: version + 1 })
    .where('id', '=', id)
    .execute();
}

/** Deletes an integration with its deliveries and outcomes. */
export async function removeIntegration(trx: Transaction<IntegrationsTables>, id: number): Promise<void> {
  await trx.deleteFrom('integrations').where('id', '=', id).execute();
}

/** What decides who gets an event, of every enabled integration. */
export async function findFilters(trx: Transaction<IntegrationsTables>): Promise<(Filter & { id: number })[]> {
  const rows = await trx
    .selectFrom('integrations')
    .select(['id', 'enabled', 'events', 'projects', 'environments', 'from_event_id'])
    .where('enabled', '=', true)
    .orderBy('id')
    .execute();
  return rows.map(({ from_event_id, ...filter }) => ({ ...filter, fromEventId: from_event_id }));
}

function byId(db: Kysely<IntegrationsTables>, id: number) {
  // The cast lets any whole number be asked for; one beyond the column's range is simply not there.
  return db.selectFrom('integrations').select(columns).where('id', '=', sql<number>`${id}::bigint`);
}

function toRow({ parameters, ...configuration }: Configuration) {
  return { ...configuration, parameters: JSON.stringify(parameters) };
}

function toStored({ parameters, from_event_id, ...row }: Row): StoredIntegration {
  return { ...row, parameters: JSON.parse(parameters), fromEventId: from_event_id };
}
