import { startRelay } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { type RunningService, serveProcessStatus } from '@yardarm/shared/service';
import { type Overrides, openResources } from '@yardarm/shared/service/with-database';
import { WakeUp } from '@yardarm/shared/waiting';
import type { SignalsConfig } from './config.ts';
import { consumeProjectDeletions, consumeSignals } from './consumers.ts';
import { migrations } from './db/migrations/index.ts';
import type { SignalsTables } from './db/schema.ts';
import { deleteAllFreeKeys, startKeySweep } from './keys/sweep.ts';
import { measureLag } from './lag.ts';
import { startRetention } from './retention/keep-signals.ts';
import { serveSignals } from './routes.ts';
import { startRunRetention } from './runs/retention.ts';
import { startRuns } from './runs/start-runs.ts';
import { trackIncarnations } from './signals/incarnations.ts';

const minuteMs = 60_000;

export async function startSignals(
  config: SignalsConfig,
  log: Logger,
  overrides: Overrides = {},
): Promise<RunningService> {
  const { db, bus, settings, health } = await openResources<SignalsTables>(migrations, config, log, overrides);
  serveProcessStatus(bus, 'signals', health);
  const setEnabled = new WakeUp();
  serveSignals({
    bus,
    db,
    setEnabled,
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
  const incarnations = trackIncarnations(bus);
  const consumption = await consumeSignals(bus, { db, log, incarnations });
  const deletions = await consumeProjectDeletions(bus, { db });
  const stopMeasuring = measureLag(consumption);
  const retention = startRetention({ db, log, retentionDays: config.SIGNALS_RETENTION_DAYS });
  const retryMs = config.SIGNALS_STEP_RETRY_MINUTES * minuteMs;
  const runs = startRuns({ db, bus, log, retryMs, setEnabled, isPaused: () => settings.current().maintenanceMode });
  const runRetention = startRunRetention({ db, log, days: config.SIGNALS_RETENTION_DAYS });
  const relay = startRelay({ db, bus, log });
  const keySweep = startKeySweep(db, log);

  await bus.flush();
  return {
    health,
    async processAll() {
      await deletions.processAll();
      await consumption.processAll();
      await runs.processAll();
      await relay.processAll();
      await deleteAllFreeKeys(db);
    },
    async drain() {
      settings.stop();
      stopMeasuring();
      await runs.stop();
      await Promise.all([consumption.stop(), deletions.stop()]);
      incarnations.stop();
      await Promise.all([retention.stop(), runRetention.stop()]);
      await relay.stop();
      await keySweep.stop();
      await bus.drain();
    },
    async stop() {
      await db.close();
    },
  };
}
