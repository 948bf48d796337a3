import { startRelay } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { type RunningService, serveProcessStatus } from '@yardarm/shared/service';
import { type Overrides, openResources } from '@yardarm/shared/service/with-database';
import { measureSizes } from './changes/measure-sizes.ts';
import { startRecounts } from './changes/recounts/start-recounts.ts';
import { startForgettingRemovals } from './changes/removals/forget-removals.ts';
import { startStepRetention } from './changes/steps/start-retention.ts';
import { type FlagsConfig, limitsOf } from './config.ts';
import { limitConnections } from './connections.ts';
import { consumeAccounts } from './consumers.ts';
import { migrations } from './db/migrations/index.ts';
import type { FlagsTables } from './db/schema.ts';
import { groupChanges } from './features/grouped-changes.ts';
import { startStaleness } from './features/staleness/start-staleness.ts';
import { serveFlags } from './routes.ts';
import { startUsageRetention } from './usage/start-retention.ts';

/**
 * How long changes still get their turn when the process stops. Most of them get it within milliseconds. Those that
 * wait for longer are refused, so that their callers know that nothing was done. The bus waits for 8 s: the rest is for
 * those that run then.
 */
const turnsMs = 5_000;

export async function startFlags(config: FlagsConfig, log: Logger, overrides: Overrides = {}): Promise<RunningService> {
  const { db, bus, settings, health } = await openResources<FlagsTables>(migrations, config, log, overrides);
  const limits = limitsOf(config);
  const { changes, longReads } = limitConnections(config.DATABASE_MAX_CONNECTIONS);
  const groups = groupChanges({ bus, changes, db, limits });
  const { USAGE_RETENTION_DAYS: usageRetentionDays } = config;
  serveProcessStatus(bus, 'flags', health);
  serveFlags({ bus, changes, db, groups, limits, log, longReads, usageRetentionDays });
  await bus.flush();
  const consumption = await consumeAccounts(bus, db);
  const relay = startRelay({ db, bus, log });
  const staleness = startStaleness({ db, bus, limits, log, isPaused: () => settings.current().maintenanceMode });
  const usageRetention = startUsageRetention({ db, log, usageRetentionDays });
  const stepRetention = startStepRetention({ db, log });
  const removals = startForgettingRemovals({ db, log });
  const recounts = startRecounts({ db, bus, limits, log });
  const stopMeasuring = measureSizes(db);

  return {
    health,
    async processAll() {
      await staleness.processAll();
      await relay.processAll();
      await consumption.processAll();
    },
    async drain() {
      settings.stop();
      stopMeasuring();
      await consumption.stop();
      await staleness.stop();
      await usageRetention.stop();
      await stepRetention.stop();
      await recounts.stop();
      await removals.stop();
      await relay.stop();
      // Running transactions still commit. The outbox keeps their events for the next relay.
      const refusing = setTimeout(() => {
        groups.stop();
        changes.stop();
      }, turnsMs);
      await bus.drain();
      clearTimeout(refusing);
    },
    async stop() {
      await db.close();
    },
  };
}
