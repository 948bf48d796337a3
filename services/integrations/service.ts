import { startRelay } from '@yardarm/shared/db';
import { createGuardedClient } from '@yardarm/shared/http';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { type Overrides, openGround } from '@yardarm/shared/service/with-database';
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
  overrides: Overrides = {},
): Promise<RunningService> {
  const client = createGuardedClient({ allowedPrivate: config.INTEGRATIONS_ALLOWED_PRIVATE, log });
  const providers = createProviders(client, {
    baseUrl: config.UNLEASH_URL ?? null,
    slackApiUrl: config.INTEGRATIONS_SLACK_API_URL,
    datadogUrl: config.INTEGRATIONS_DATADOG_URL,
  });
  const { db, bus, health } = await openGround<IntegrationsTables>('integrations', config, log, overrides);
  const relay = startRelay({ db, bus, source: 'integrations', log });
  const workers = startWorkers({ db, providers, log });
  const intake = startIntake({ db, bus, log, onTaken: workers.wake });
  const stopMeasuring = measureLag(db, intake, log);
  serveIntegrations({ bus, db, providers });
  await bus.flush();

  return {
    health,
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
