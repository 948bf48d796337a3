// What Postgres and nats-server do for a change: statements, WAL, row versions and messages, from their own counters.
import { setTimeout as sleep } from 'node:timers/promises';
import { openWork, type StatementWork, type TableWork } from './work.repo.ts';

/** A product whose servers count. */
export interface Counting {
  databaseUrl: string;
  /** Of nats-server; undefined for a product without one. */
  monitoringUrl: string | undefined;
}

/** All figures are per change. */
export interface Work {
  statements: StatementWork[];
  tables: TableWork[];
  walBytes: number;
  walRecords: number;
  /** Null without NATS. */
  messages: Messages | null;
}

/** What nats-server received from its clients and sent to them, with acknowledgements, pulls and requests. */
export interface Messages {
  received: number;
  receivedBytes: number;
  sent: number;
  sentBytes: number;
}

/** The settings of a Postgres that counts statements. It costs some percent, so it is on for this purpose alone. */
export const countingSettings = ['shared_preload_libraries=pg_stat_statements'];

/**
 * An idle backend reports its counters of rows and WAL after ten seconds. Meanwhile the product polls; its statements
 * are read before.
 */
const reportMs = 11_000;

/** Begins to count. The result ends it and divides by the number of changes. */
export async function startWork(counting: Counting): Promise<(changes: number) => Promise<Work>> {
  const database = await openWork(counting.databaseUrl);
  const before = await database.counters();
  const messagesBefore = await messagesOf(counting);
  await database.reset();
  return async (changes) => {
    const each = (after: number, earlier: number) => (after - earlier) / changes;
    const statements = await database.statements();
    const messages = await messagesOf(counting);
    await sleep(reportMs);
    const after = await database.counters();
    await database.close();
    return {
      statements: statements.map((statement) => ({
        ...{ ...statement, calls: statement.calls / changes, ms: statement.ms / changes },
        walBytes: statement.walBytes / changes,
      })),
      tables: after.tables.map((table) => {
        const earlier = before.tables.find((other) => other.table === table.table) ?? noVersions;
        return {
          ...{ table: table.table, inserted: each(table.inserted, earlier.inserted) },
          ...{ updated: each(table.updated, earlier.updated), hot: each(table.hot, earlier.hot) },
          deleted: each(table.deleted, earlier.deleted),
        };
      }),
      walBytes: each(after.walBytes, before.walBytes),
      walRecords: each(after.walRecords, before.walRecords),
      messages: messages && {
        received: each(messages.received, messagesBefore!.received),
        receivedBytes: each(messages.receivedBytes, messagesBefore!.receivedBytes),
        sent: each(messages.sent, messagesBefore!.sent),
        sentBytes: each(messages.sentBytes, messagesBefore!.sentBytes),
      },
    };
  };
}

/** Of a table that was made meanwhile. */
const noVersions = { inserted: 0, updated: 0, hot: 0, deleted: 0 };

async function messagesOf({ monitoringUrl }: Counting): Promise<Messages | null> {
  if (monitoringUrl === undefined) return null;
  const answer = await fetch(`${monitoringUrl}/varz`);
  if (!answer.ok) throw new Error(`the monitoring of nats-server answered ${answer.status}`);
  const varz = (await answer.json()) as Record<'in_msgs' | 'in_bytes' | 'out_msgs' | 'out_bytes', number>;
  return {
    ...{ received: varz.in_msgs, receivedBytes: varz.in_bytes },
    ...{ sent: varz.out_msgs, sentBytes: varz.out_bytes },
  };
}
