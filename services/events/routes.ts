import type { Bus } from '@yardarm/shared/bus';
import { readHead, searchEvents, verifyLog as verifyLogContract } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { verifyLog } from './chain/verify-log.ts';
import type { EventsTables } from './db/schema.ts';
import { answerSearch } from './events/events.handlers.ts';
import { readPosition } from './recording/recordings.repo.ts';

/** What the events service answers. */
export function serveRequests(bus: Bus, db: Database<EventsTables>): void {
  bus.serveMany(searchEvents, (input, context) => answerSearch(db, input, context));
  bus.serve(readHead, async () => ({ id: (await readPosition(db)).lastId }));
  bus.serve(verifyLogContract, (range) => verifyLog(db, range));
}
