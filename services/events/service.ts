import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus } from '@yardarm/shared/bus';
import { createDatabase } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import type { EventsConfig } from './config.ts';
import type { EventsTables } from './db/schema.ts';
import { measureLag, readLag } from './lag.ts';
import { serveRequests } from './routes.ts';
import { startTerms } from './terms.ts';

/** processAll() is for tests, which wait no longer than they must. */
const lookAgainMs = 10;

/** Starts the events service. `overrides.connectBus` lets a crash test stand between the service and its bus. */
export async function startEvents(
  config: EventsConfig,
  log: Logger,
  overrides: { connectBus?: typeof connectBus } = {},
): Promise<RunningService> {
  const db = createDatabase<EventsTables>({
    url: config.DATABASE_URL,
    schema: 'events',
    log,
    maxConnections: config.DATABASE_MAX_CONNECTIONS,
    applicationName: 'yardarm-events',
  });
  const bus = await (overrides.connectBus ?? connectBus)({
    url: config.NATS_URL,
    name: 'events',
    prefix: config.YARDARM_PREFIX,
    log,
  });
  serveRequests(bus, db);
  const terms = startTerms({ db, bus, log });
  const stopMeasuring = measureLag(db, bus, log);
  let isDrained = false;
  await bus.flush();

  return {
    // Whether this replica holds the lease is no part of it: one that does not answers searches as well.
    async health() {
      const database = await db.ping().then(
        () => null,
        (error: unknown) => coerceError(error).message,
      );
      return { database, bus: bus.state().connected ? null : 'not connected to NATS' };
    },
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
      await terms.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
