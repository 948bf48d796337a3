import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Bus } from '../../bus/index.ts';
import { type Publisher, publishPending } from '../../contracts/events/outbox.ts';
import { AppError } from '../../errors/index.ts';
import type { Database } from '../database.ts';
import type { SharedTables } from '../tables.ts';
import { readNewest, readPublishedUpTo } from './rows.ts';

/** A row is published and marked in some milliseconds; a look is one statement on an index that is almost empty. */
const lookAgainMs = 10;
/** What is left to answer in: the refusal must come before the caller has given up. */
const answerMs = 100;

/**
 * Answers whoever has to know that EVENTS holds what this service did. Looks at the table and not at a relay of this process: another
 * replica may be the one that publishes.
 */
export function serveOutbox<T extends SharedTables>(bus: Pick<Bus, 'serve'>, db: Database<T>): void {
  bus.serve(publishPending[db.service as Publisher], (_input, { deadline }) => whenPublished(db, deadline));
}

/**
 * Resolves when all that is committed and unpublished now has been acknowledged by EVENTS, with the incarnation that holds it. Throws
 * `unavailable` when that takes until the deadline (milliseconds since 1970).
 */
async function whenPublished<T extends SharedTables>(
  db: Database<T>,
  deadline: number,
): Promise<{ incarnation: string | null }> {
  // The tables that this reads are among T's, which the compiler does not follow through Kysely.
  const rows = db.kysely as unknown as Kysely<SharedTables>;
  // The newest row of all: published ones may be about to be published again, into a stream that takes the place of a lost one. A row
  // with a lower id that is committed later is waited for as well, which harms nobody.
  const newest = await readNewest(rows);
  for (;;) {
    const { isPublished, incarnation } = await readPublishedUpTo(rows, newest);
    if (isPublished) return { incarnation };
    if (Date.now() + lookAgainMs + answerMs > deadline) {
      throw new AppError('unavailable', `What ${db.service} did has not reached the event log yet.`);
    }
    db.appended.emit('committed');
    await sleep(lookAgainMs);
  }
}
