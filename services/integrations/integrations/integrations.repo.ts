import { type Kysely, prepared, sql, type Transaction } from '@yardarm/shared/db';
import type { IntegrationsTables } from '../db/schema.ts';
import { type Circuit, closedCircuit } from '../deliveries/circuit.ts';
import type { Filter, StoredIntegration } from './integration.ts';

type NewIntegration = Omit<StoredIntegration, 'id' | 'createdAt' | 'fromEventId' | 'version' | 'circuit'>;

interface Row {
  id: number;
  provider: string;
  description: string | null;
  enabled: boolean;
  parameters: string;
  parameters_key: string | null;
  events: string[];
  projects: string[];
  environments: string[];
  may_send_events_of_people: boolean;
  from_event_id: number;
  version: number;
  failures: number;
  failing_since: Date | null;
  paused_until: Date | null;
  created_at: Date | null;
}

const columns = [
  ...(['id', 'provider', 'description', 'enabled', 'parameters', 'parameters_key'] as const),
  ...(['events', 'projects', 'environments'] as const),
  ...(['may_send_events_of_people', 'from_event_id', 'version'] as const),
  ...(['failures', 'failing_since', 'paused_until', 'created_at'] as const),
] as const;

export async function insertIntegration(
  trx: Transaction<IntegrationsTables>,
  configuration: NewIntegration,
  fromEventId: number,
): Promise<StoredIntegration> {
  const row = await trx
    .insertInto('integrations')
    .values({ ...toRow(configuration), from_event_id: fromEventId })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return toStored(row);
}

export async function findIntegrations(db: Kysely<IntegrationsTables>): Promise<StoredIntegration[]> {
  return (
    await db.selectFrom('integrations').select(columns).where('deleted_at', 'is', null).orderBy('id').execute()
  ).map(toStored);
}

export async function findIntegration(
  db: Kysely<IntegrationsTables>,
  id: number,
): Promise<StoredIntegration | undefined> {
  const row = await byId(db, id).executeTakeFirst();
  return row && toStored(row);
}

/**
 * Locks the integration unless it is deleted. Every transaction that changes an integration or its deliveries locks it
 * first, which prevents deadlocks. Inserts of new deliveries do not wait for the lock. `renewClaims` and
 * `deleteUntriedDeliveries` change deliveries of several integrations without it. They skip locked deliveries, so they
 * wait for no transaction that has the lock. Only the retention changes the deliveries of a deleted integration, while
 * it locks the intake.
 */
export async function lockIntegration(
  trx: Transaction<IntegrationsTables>,
  id: number,
): Promise<StoredIntegration | undefined> {
  const { rows } = await prepared('lock-integration', byId(trx, id).forNoKeyUpdate()).execute(trx);
  return rows[0] && toStored(rows[0]);
}

/** Updates a locked integration. It may have another endpoint, so the circuit closes. */
export async function updateIntegrationRow(
  trx: Transaction<IntegrationsTables>,
  { id, version, createdAt, fromEventId, circuit, ...configuration }: StoredIntegration,
): Promise<void> {
  await trx
    .updateTable('integrations')
    .set({ ...toRow(configuration), from_event_id: fromEventId, version: version + 1, ...circuitRow(closedCircuit) })
    .where('id', '=', id)
    .execute();
}

/** Stores that the filters of a locked integration apply to events after the newest handled one. */
export async function updateFilteredSince(trx: Transaction<IntegrationsTables>, id: number): Promise<void> {
  await sql`
    update integrations set filtered_since_event_id = (select last_event_id from intake) where id = ${id}`.execute(trx);
}

/** Removes the secrets at once. The deliveries may be many, so the retention sweeps them later. */
export async function markIntegrationDeleted(trx: Transaction<IntegrationsTables>, id: number): Promise<void> {
  await trx
    .updateTable('integrations')
    .set({ enabled: false, parameters: '{}', parameters_key: null, deleted_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

export async function updateCircuit(trx: Transaction<IntegrationsTables>, id: number, circuit: Circuit): Promise<void> {
  await trx.updateTable('integrations').set(circuitRow(circuit)).where('id', '=', id).execute();
}

export async function countPaused(db: Kysely<IntegrationsTables>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from integrations where enabled and paused_until is not null`.execute(db);
  return rows[0]!.count;
}

export interface EnabledIntegration extends Filter {
  id: number;
}

export async function findEnabledIntegrations(db: Kysely<IntegrationsTables>): Promise<EnabledIntegration[]> {
  const { rows } = await prepared('find-enabled-integrations')<EnabledIntegration>`
    select id, enabled, events, projects, environments, from_event_id as "fromEventId",
      may_send_events_of_people as "maySendEventsOfPeople", filtered_since_event_id as "filteredSinceEventId"
    from integrations where enabled`.execute(db);
  return rows;
}

function byId(db: Kysely<IntegrationsTables>, id: number) {
  // The cast accepts any whole number; one beyond the column's range finds no row.
  return db
    .selectFrom('integrations')
    .select(columns)
    .where('id', '=', sql<number>`${id}::bigint`)
    .where('deleted_at', 'is', null);
}

function toRow({ parameters, maySendEventsOfPeople, ...configuration }: NewIntegration) {
  return {
    ...configuration,
    parameters: parameters.text,
    parameters_key: parameters.keyId,
    may_send_events_of_people: maySendEventsOfPeople,
  };
}

function circuitRow({ failures, failingSince, pausedUntil }: Circuit) {
  return { failures, failing_since: failingSince, paused_until: pausedUntil };
}

function toStored(row: Row): StoredIntegration {
  const { parameters, parameters_key, may_send_events_of_people, from_event_id, ...others } = row;
  const { failures, failing_since, paused_until, created_at, ...rest } = others;
  return {
    ...rest,
    parameters: { keyId: parameters_key, text: parameters },
    maySendEventsOfPeople: may_send_events_of_people,
    createdAt: created_at,
    fromEventId: from_event_id,
    circuit: { failures, failingSince: failing_since, pausedUntil: paused_until },
  };
}
