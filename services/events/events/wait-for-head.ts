import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { EventsTables } from '../db/schema.ts';
import { readPosition } from '../recording/recordings.repo.ts';

/** A batch of the recorder is some tens of milliseconds; a look is one row. */
const lookAgainMs = 10;
/** What is left to answer in: a search takes less by far, and a refusal must come before the caller has given up. */
const answerMs = 500;

/**
 * Waits until the log holds all that EVENTS holds now. What a service has committed and not yet published is not waited for: nobody but
 * that service knows of it. Throws `unavailable` when the deadline (milliseconds since 1970) comes too near; nothing was done then.
 */
export async function waitForHead(
  { db, bus }: { db: Database<EventsTables>; bus: Bus },
  deadline: number,
): Promise<void> {
  const events = await bus.streamInfo('EVENTS');
  for (;;) {
    const { incarnation, lastSequence } = await readPosition(db);
    if (events.messages === 0 || (incarnation === events.incarnation && lastSequence >= events.lastSequence)) return;
    if (Date.now() + lookAgainMs + answerMs > deadline) {
      throw new AppError('unavailable', 'The event log has not caught up yet. Try again, or search without waiting.');
    }
    await sleep(lookAgainMs);
  }
}
