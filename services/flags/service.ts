import { connectBus } from '@yardarm/shared/bus';
import { createDatabase, startRelay } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import type { FlagsConfig } from './config.ts';
import { consumeAccounts } from './consumers.ts';
import type { FlagsTables } from './db/schema.ts';
import { serve } from './routes.ts';

/** Starts flags. `overrides.connectBus` lets a crash test stand between the service and its bus. */
export async function startFlags(
  config: FlagsConfig,
  log: Logger,
  overrides: { connectBus?: typeof connectBus } = {},
): Promise<RunningService> {
  const db = createDatabase<FlagsTables>({
    url: config.DATABASE_URL,
    schema: 'flags',
    log,
    maxConnections: config.DATABASE_MAX_CONNECTIONS,
    applicationName: 'yardarm-flags',
  });
  const bus = await (overrides.connectBus ?? connectBus)({
    url: config.NATS_URL,
    name: 'flags',
    prefix: config.YARDARM_PREFIX,
    log,
  });
  serve({ db, bus });
  await bus.flush();
  const consumption = await consumeAccounts(bus, db);
  const relay = startRelay({ db, bus, source: 'flags', log });

  return {
    async health() {
      return {
        database: await db.ping().then(
          () => null,
          () => 'Postgres does not answer',
        ),
        bus: bus.state().connected ? null : 'not connected to NATS',
      };
    },
    async processAll() {
      await relay.processAll();
      await consumption.processAll();
    },
    async drain() {
      await consumption.stop();
      await relay.stop();
      // Requests in flight still commit: the outbox keeps their events for the next relay.
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
