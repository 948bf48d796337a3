import { connectBus as realConnectBus } from '@yardarm/shared/bus';
import { createDatabase, startRelay } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import type { FlagsConfig } from './config.ts';
import { consume } from './consumers.ts';
import type { FlagsTables } from './db/schema.ts';
import { serve } from './routes.ts';

/** Starts the service: answers requests, publishes what happened, keeps the names of those who change flags. */
export async function startFlags(
  config: FlagsConfig,
  log: Logger,
  { connectBus = realConnectBus }: { connectBus?: typeof realConnectBus } = {},
): Promise<RunningService> {
  const db = createDatabase<FlagsTables>({
    url: config.DATABASE_URL,
    schema: 'flags',
    log,
    maxConnections: config.DATABASE_MAX_CONNECTIONS,
  });
  const bus = await connectBus({ url: config.NATS_URL, name: 'flags', prefix: config.YARDARM_PREFIX, log });
  await bus.ensureStreams(['EVENTS']);
  const relay = startRelay({ db, bus, source: 'flags', log });
  const consumptions = await consume(bus, db);
  serve({ db, bus });
  log.debug('serving');

  return {
    async health() {
      return {
        database: await db.ping().then(
          () => null,
          (error: Error) => error.message,
        ),
        bus: bus.state().connected ? null : 'not connected to NATS',
      };
    },
    async processAll() {
      await relay.processAll();
      for (const consumption of consumptions) await consumption.processAll();
    },
    async drain() {
      for (const consumption of consumptions) await consumption.stop();
      // The last requests commit before the bus is gone, and their events stay in the outbox for the next relay.
      await relay.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
