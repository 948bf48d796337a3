import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@yardarm/shared/log';
import { type RunningService, serveProcessStatus } from '@yardarm/shared/service';
import { type Overrides, openResources } from '@yardarm/shared/service/with-database';
import type { EventsConfig } from './config.ts';
import { migrations } from './db/migrations/index.ts';
import type { EventsTables } from './db/schema.ts';
import { makePageTurns } from './events/page-turns.ts';
import { measureLag, readLag } from './lag.ts';
import { startLeader } from './leadership.ts';
import { watchGaps } from './recording/gap-watch.ts';
import { startRetention } from './retention/drop-old-partitions.ts';
import { serveRequests } from './routes.ts';

/** Only tests call processAll(); a short interval keeps them fast. */
const lagPollMs = 10;

export async function startEvents(
  config: EventsConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<RunningService> {
  const { db, bus, settings, health } = await openResources<EventsTables>(migrations, config, log, overrides);
  const turns = makePageTurns();
  serveProcessStatus(bus, 'events', health);
  serveRequests(bus, db, turns);
  const leader = startLeader({ db, bus, log, config });
  const { EVENTS_RETENTION_DAYS: keepDays, EVENTS_HEADS_DIR: headsFolder } = config;
  const retention = keepDays === undefined ? undefined : startRetention({ db, log, keepDays, headsFolder });
  const stopMeasuring = measureLag(db, bus);
  const stopWatching = watchGaps(db, log);
  let isDrained = false;
  await bus.flush();

  return {
    // The lease is not part of health: a replica without it also answers searches.
    health,
    async processAll() {
      // Compares positions and not this replica's loops, because another replica may be the leader.
      while (!isDrained) {
        if ((await readLag(db, bus).catch(() => null)) === 0) return;
        await sleep(lagPollMs);
      }
    },
    async drain() {
      settings.stop();
      isDrained = true;
      stopMeasuring();
      stopWatching();
      await Promise.all([leader.stop(), retention?.stop()]);
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
