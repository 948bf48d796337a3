import { startRelay } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { type Overrides, openResources } from '@yardarm/shared/service/with-database';
import type { SignalsConfig } from './config.ts';
import { consumeSignals } from './consumers.ts';
import type { SignalsTables } from './db/schema.ts';
import { serveSignals } from './routes.ts';

export async function startSignals(
  config: SignalsConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<RunningService> {
  const { db, bus, health } = await openResources<SignalsTables>('signals', config, log, overrides);
  serveSignals({
    bus,
    db,
    ratePerSecond: config.SIGNAL_ENDPOINT_RATE_LIMIT_PER_SECOND,
    endpointLimit: config.UNLEASH_SIGNAL_ENDPOINTS_LIMIT,
    tokenLimit: config.UNLEASH_SIGNAL_TOKENS_PER_ENDPOINT_LIMIT,
    actionSetLimits: {
      setsPerProject: config.UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT,
      filters: config.UNLEASH_ACTION_SET_FILTERS_LIMIT,
      filterValues: config.UNLEASH_ACTION_SET_FILTER_VALUES_LIMIT,
      actions: config.UNLEASH_ACTION_SET_ACTIONS_LIMIT,
    },
  });
  const consumption = await consumeSignals(bus, db, log);
  const relay = startRelay({ db, bus, log });

  await bus.flush();
  return {
    health,
    async processAll() {
      await consumption.processAll();
      await relay.processAll();
    },
    async drain() {
      await consumption.stop();
      await relay.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
