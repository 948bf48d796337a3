import type { Bus } from '@yardarm/shared/bus';
import {
  countEventsByDay as countEventsByDayContract,
  exportEvents,
  findEvents,
  listEventCreators,
  listFirstSwitches,
  readAfter,
  readHead,
  searchEvents,
  verifyLog as verifyLogContract,
} from '@yardarm/shared/contracts/events';
import { type Database, findEpoch } from '@yardarm/shared/db';
import { verifyLog } from './chain/verify-log.ts';
import type { EventsTables } from './db/schema.ts';
import { countEventsByDay } from './events/event-days.repo.ts';
import { eventHandlers } from './events/events.handlers.ts';
import { findFirstSwitches } from './events/first-switches.repo.ts';
import type { PageTurns } from './events/page-turns.ts';
import { findPosition } from './recording/recordings.repo.ts';
import { readTail } from './tail/tail.handlers.ts';

export function serveRequests(bus: Bus, db: Database<EventsTables>, turns: PageTurns): void {
  const events = eventHandlers(db, bus, turns);
  bus.serve(searchEvents, events.search);
  bus.serve(findEvents, events.find);
  bus.serve(listEventCreators, events.creators);
  bus.serve(countEventsByDayContract, async (input, context) => ({
    days: await turns.summaries.run(context, () => countEventsByDay(db.kysely, input)),
  }));
  bus.serve(listFirstSwitches, async (input, context) => {
    const found = await turns.summaries.run(context, () => findFirstSwitches(db.kysely, input));
    return { switches: found.map((one) => ({ ...one, createdAt: one.createdAt.toISOString() })) };
  });
  bus.serve(readAfter, (input, context) => readTail(db, input, context));
  bus.serve(exportEvents, (input, context) => readTail(db, input, context));
  bus.serve(readHead, async () => {
    const [{ lastId }, epoch] = await Promise.all([findPosition(db), findEpoch(db.kysely)]);
    return { id: lastId, epoch };
  });
  bus.serve(verifyLogContract, (range) => verifyLog(db, range));
}
