import { startRelay } from '@yardarm/shared/db';
import { keyringOf, publishedKey } from '@yardarm/shared/encryption';
import { createGuardedClient } from '@yardarm/shared/http';
import type { Logger } from '@yardarm/shared/log';
import { type RunningService, serveProcessStatus } from '@yardarm/shared/service';
import { type Overrides, openResources } from '@yardarm/shared/service/with-database';
import { type IntegrationsConfig, linkBase } from './config.ts';
import { migrations } from './db/migrations/index.ts';
import type { IntegrationsTables } from './db/schema.ts';
import { startDispatchers } from './deliveries/dispatchers.ts';
import { proveKey } from './encryption/prove-key.ts';
import { startIntake } from './intake/intake-reader.ts';
import { measureLag } from './lag.ts';
import { createProviders } from './providers/index.ts';
import { startSweeper } from './retention/sweeper.ts';
import { serveIntegrations } from './routes.ts';

const day = 24 * 60 * 60_000;

export async function startIntegrations(
  config: IntegrationsConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<RunningService> {
  const client = createGuardedClient({
    allowedPrivate: config.INTEGRATIONS_ALLOWED_PRIVATE,
    proxies: { http: config.HTTP_PROXY ?? null, https: config.HTTPS_PROXY ?? null, none: config.NO_PROXY },
    log,
  });
  const providers = createProviders(client, {
    baseUrl: linkBase(config),
    slackApiUrl: config.INTEGRATIONS_SLACK_API_URL,
    datadogUrl: config.INTEGRATIONS_DATADOG_URL,
  });
  const { db, bus, settings, health } = await openResources<IntegrationsTables>(migrations, config, log, overrides);
  if (publishedKey.equals(config.INTEGRATIONS_ENCRYPTION_KEY))
    log.warn('INTEGRATIONS_ENCRYPTION_KEY is published in docker-compose.yml; replace it with a key of your own');
  const keys = keyringOf(config.INTEGRATIONS_ENCRYPTION_KEY, config.INTEGRATIONS_ENCRYPTION_OTHER_KEYS);
  await proveKey(db, keys, log).catch(async (error: unknown) => {
    await Promise.all([bus.drain(), db.close()]);
    throw error;
  });
  const relay = startRelay({ db, bus, log });
  const dispatchers = startDispatchers({
    db,
    providers,
    keys,
    disableAfterMs: config.INTEGRATIONS_DISABLE_AFTER_DAYS * day,
    log,
  });
  const intake = startIntake({ db, bus, log, schedule: dispatchers.schedule });
  const stopMeasuring = measureLag(db, intake);
  const sweeper = startSweeper({ db, days: config.INTEGRATIONS_RETENTION_DAYS, log });
  serveProcessStatus(bus, 'integrations', health);
  serveIntegrations({ bus, db, providers, keys, schedule: dispatchers.schedule });
  await bus.flush();

  return {
    health,
    async processAll() {
      await intake.processAll();
      await dispatchers.processAll();
      await relay.processAll();
    },
    async drain() {
      settings.stop();
      stopMeasuring();
      await Promise.all([intake.stop(), dispatchers.stop(), sweeper.stop()]);
      await relay.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
