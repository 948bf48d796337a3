import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Bus } from '../../bus/index.ts';
import { type Publisher, publishPending } from '../../contracts/events/outbox.ts';
import { AppError } from '../../errors/index.ts';
import type { Database } from '../database.ts';
import type { SharedTables } from '../tables.ts';
import { findNewestId, findPublishedUpTo } from './rows.ts';

/** A row is published and marked within milliseconds. Each check is one statement on an index that is almost empty. */
const checkIntervalMs = 10;
/** The time to answer in: the error must reach the caller before its deadline. */
const answerMs = 100;

/**
 * Serves the request that waits until EVENTS has all committed events of this service. Reads the outbox and not the
 * state of this process's relay, because another replica may be the one that publishes.
 */
export function serveOutbox<T extends SharedTables>(bus: Pick<Bus, 'serve'>, db: Database<T>): void {
  bus.serve(publishPending[db.service as Publisher], (_input, { deadline }) => whenPublished(db, deadline));
}

/**
 * Resolves when EVENTS has acknowledged all events that are committed now, with the incarnation of EVENTS that has
 * them. Throws `unavailable` if that would take longer than the deadline (milliseconds since 1970).
 */
async function whenPublished<T extends SharedTables>(
  db: Database<T>,
  deadline: number,
): Promise<{ incarnation: string | null }> {
  // T includes SharedTables, but the compiler cannot infer that through Kysely.
  const rows = db.kysely as unknown as Kysely<SharedTables>;
  // The newest of all rows, published ones too: those may be about to be published again, into a stream that replaces a
  // lost one. A row with a lower id that is committed later is waited for as well, which does no harm.
  const newest = await findNewestId(rows);
  for (;;) {
    const { isPublished, incarnation } = await findPublishedUpTo(rows, newest);
    if (isPublished) return { incarnation };
    if (Date.now() + checkIntervalMs + answerMs > deadline) {
      throw new AppError('unavailable', `The latest events of ${db.service} have not reached the event log yet.`);
    }
    db.appended.emit('committed');
    await sleep(checkIntervalMs);
  }
}
