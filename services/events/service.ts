import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { type Overrides, openResources } from '@yardarm/shared/service/with-database';
import type { EventsConfig } from './config.ts';
import type { EventsTables } from './db/schema.ts';
import { measureLag, readLag } from './lag.ts';
import { startLeader } from './leadership.ts';
import { watchGaps } from './recording/gap-watch.ts';
import { serveRequests } from './routes.ts';

/** processAll() is for tests, which wait no longer than they must. */
const lookAgainMs = 10;

/** Starts events: the log, its recorder, and the relay of what it recorded. */
export async function startEvents(
  config: EventsConfig,
  log: Logger,
  { relayPollMs, ...overrides }: Overrides & { relayPollMs?: number } = {},
): Promise<RunningService> {
  const { db, bus, health } = await openResources<EventsTables>('events', config, log, overrides);
  serveRequests(bus, db);
  const leader = startLeader({ db, bus, log, config, relayPollMs });
  const stopMeasuring = measureLag(db, bus);
  const stopWatching = watchGaps(db, log);
  let isDrained = false;
  await bus.flush();

  return {
    // Whether this replica holds the lease is no part of it: one that does not answers searches as well.
    health,
    async processAll() {
      // Looks at the positions and not at this replica's loops: another replica may be the one that has the work.
      while (!isDrained) {
        const lag = await readLag(db, bus).catch(() => null);
        if (lag !== null && lag.messages === 0 && lag.events === 0) return;
        await sleep(lookAgainMs);
      }
    },
    async drain() {
      isDrained = true;
      stopMeasuring();
      stopWatching();
      await leader.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
