import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { deleteOldUsage } from '../usage/retention.repo.ts';
import { type FlagsRig, type OwnFlagsRig, startOwnFlagsRig } from './flags-rig.ts';

const hourMs = 3_600_000;

export const hoursAgo = (hours: number) =>
  new Date(Math.floor(Date.now() / hourMs) * hourMs - hours * hourMs).toISOString();

const now = () => new Date().toISOString();

/** A row of a report: the application `shop` evaluated the flag in `development` in this hour. */
export const usageRow = (featureName: string, more: Partial<contracts.UsageRow> = {}): contracts.UsageRow => ({
  ...{ featureName, environment: 'development', application: 'shop', hour: hoursAgo(0), yes: 3, no: 2, variants: {} },
  ...{ lastMoment: now(), ...more },
});

/** An instance of `shop` in `development`. */
export const usageInstance = (more: Partial<contracts.UsageInstance> = {}): contracts.UsageInstance => ({
  ...{ environment: 'development', application: 'shop', instanceId: 'shop-1' },
  ...{ sdkVersion: 'unleash-client-node:6.12.1', sdkType: 'backend', address: '192.0.2.1' },
  ...{ strategies: null, started: null, interval: null, lastMoment: now(), ...more },
});

/** Stands in for the leader of a job, which is always current. */
export const usageLeader = { requireCurrent: async () => {}, signal: new AbortController().signal };

/** A rig in which the job of the service has nothing left to delete. */
export async function startUsageRig(): Promise<OwnFlagsRig> {
  const rig = await startOwnFlagsRig();
  // The leader of the service does the same soon.
  await deleteOldUsage(rig.db, usageLeader, 30);
  return rig;
}

/** Sends reports of usage and reads the rows that flags stores for a flag. */
export function usageReports(rigOf: () => FlagsRig) {
  return {
    report: (rows: contracts.UsageRow[], instances: contracts.UsageInstance[] = [], batchId: string = randomUUID()) =>
      rigOf().ask(contracts.reportUsage, { batchId, rows, instances }),
    async stored(featureName: string) {
      const rows = rigOf().db.kysely.selectFrom('feature_usage').selectAll().where('feature_name', '=', featureName);
      const found = await rows.orderBy('hour').orderBy('environment').orderBy('application').execute();
      return found.map(({ environment, application, hour, yes, no, variants }) => ({
        ...{ environment, application, hour: hour.toISOString(), yes: Number(yes), no: Number(no), variants },
      }));
    },
  };
}
