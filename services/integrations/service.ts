import { connectBus } from '@yardarm/shared/bus';
import { createDatabase, startRelay } from '@yardarm/shared/db';
import { createGuardedClient } from '@yardarm/shared/http';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import type { IntegrationsConfig } from './config.ts';
import type { IntegrationsTables } from './db/schema.ts';
import { startWorkers } from './deliveries/workers.ts';
import { startIntake } from './intake/intake-reader.ts';
import { measureLag } from './lag.ts';
import { createProviders } from './providers/index.ts';
import { serveIntegrations } from './routes.ts';

/** Starts integrations: what they are, what each gets, and the sending. */
export async function startIntegrations(
  config: IntegrationsConfig,
  log: Logger,
  overrides: { connectBus?: typeof connectBus } = {},
): Promise<RunningService> {
  const client = createGuardedClient({ allowedPrivate: config.INTEGRATIONS_ALLOWED_PRIVATE, log });
  const providers = createProviders(client);
  const db = createDatabase<IntegrationsTables>({
    url: config.DATABASE_URL,
    schema: 'integrations',
    log,
    maxConnections: config.DATABASE_MAX_CONNECTIONS,
    applicationName: 'yardarm-integrations',
  });
  const bus = await (overrides.connectBus ?? connectBus)({
    url: config.NATS_URL,
    name: 'integrations',
    prefix: config.YARDARM_PREFIX,
    log,
  });
  const relay = startRelay({ db, bus, source: 'integrations', log });
  const workers = startWorkers({ db, providers, log });
  const intake = startIntake({ db, bus, log, onTaken: workers.wake });
  const stopMeasuring = measureLag(db, intake, log);
  serveIntegrations({ bus, db, providers });

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
      await intake.processAll();
      await workers.processAll();
      await relay.processAll();
    },
    async drain() {
      stopMeasuring();
      await Promise.all([intake.stop(), workers.stop()]);
      await relay.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
