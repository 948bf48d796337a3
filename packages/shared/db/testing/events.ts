import type { Bus, BusMessage } from '../../bus/index.ts';
import { appendEvent, type Database, type NewEvent, type SharedTables, sql, type Transaction } from '../index.ts';

const testEvent = (key: string, n: number): NewEvent => ({
  ...{ type: 'feature-updated', actor: { id: 7, username: 'tester' }, data: { key, n } },
  ...{ orderingKey: key, requestId: null, traceparent: null },
});

/** Appends an event of a key. The advisory lock orders the writers of a key, as a flag's row lock does. */
export async function append(trx: Transaction<SharedTables>, key: string, n = 0): Promise<{ eventId: string }> {
  await sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(trx);
  return { eventId: appendEvent(trx, testEvent(key, n)) };
}

/** The same, but inserts the row now and not with the commit, as in a transaction that takes long to commit. */
export async function appendNow(trx: Transaction<SharedTables>, key: string): Promise<{ eventId: string }> {
  let written: Promise<unknown> = Promise.resolve();
  const defer: Transaction<SharedTables>['defer'] = (statement) => {
    written = statement.execute(trx);
  };
  const { defer: original } = trx;
  Object.assign(trx, { defer });
  const appended = await append(trx, key);
  Object.assign(trx, { defer: original });
  await written;
  return appended;
}

export function appendAlone(db: Database<SharedTables>, key: string, n = 0): Promise<{ eventId: string }> {
  return db.transaction((trx) => append(trx, key, n));
}

export async function readStream(bus: Bus): Promise<BusMessage[]> {
  const { incarnation } = await bus.streamInfo('EVENTS');
  const found: BusMessage[] = [];
  const from = async () => ({ incarnation, lastSequence: found.at(-1)?.sequence ?? 0 });
  const reading = bus.read(
    { stream: 'EVENTS', from, maxBatch: 500 },
    async ({ messages }) => void found.push(...messages),
  );
  await reading.processAll();
  await reading.stop();
  return found;
}

/** The first message of each event id, as a consumer handles them. */
export function withoutDuplicates(messages: readonly BusMessage[]): BusMessage[] {
  const seen = new Set<string | null>();
  return messages.filter(({ msgId }) => !seen.has(msgId) && seen.add(msgId));
}

export function idsOf(messages: readonly BusMessage[]): (string | null)[] {
  return messages.map(({ msgId }) => msgId);
}

export function byKey(messages: readonly BusMessage[]): Record<string, (string | null)[]> {
  return grouped(
    messages.map(({ payload, msgId }) => ({ key: (payload as { data: { key: string } }).data.key, id: msgId })),
  );
}

/** The event ids of each key in the outbox, in the order of the rows. */
export async function expectedByKey(db: Database<SharedTables>): Promise<Record<string, (string | null)[]>> {
  const rows = await db.kysely.selectFrom('outbox').select(['ordering_key', 'event_id']).orderBy('id').execute();
  return grouped(rows.map((row) => ({ key: row.ordering_key, id: row.event_id })));
}

function grouped(items: { key: string; id: string | null }[]): Record<string, (string | null)[]> {
  const groups = Map.groupBy(items, ({ key }) => key);
  return Object.fromEntries([...groups].map(([key, members]) => [key, members.map(({ id }) => id)]));
}
