import type { ServedContext } from '@yardarm/shared/bus';
import { systemActor } from '@yardarm/shared/contracts';
import type { reportUsage as contract } from '@yardarm/shared/contracts/flags';
import { appendEvents, isForeignKeyViolation } from '@yardarm/shared/db';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import type { FlagsTables } from '../db/schema.ts';
import type { FlagsResources } from '../resources.ts';
import { withinEventsOfTokens } from './application-events.ts';
import { applicationEventData, applicationOrderingKey } from './applications/application.ts';
import { insertApplications } from './new-applications.repo.ts';
import { deferInstances, insertOtherApplications, insertSdks } from './reported.repo.ts';
import { deferHourlyUsage, deferLastUses, deleteOldBatches, insertBatch } from './usage.repo.ts';
import {
  hourlyUsage,
  lastUses,
  otherApplications,
  type Reporter,
  registrationEventData,
  reportedApplications,
  reportedSdks,
  reporterOf,
  usageBounds,
} from './usage.ts';
import { withinEntriesOfTokens } from './usage-entries.ts';

type ReportEvent = Parameters<typeof appendEvents<FlagsTables>>[1][number];

/** A flag or application can be deleted during a report. More than a few in a row cannot. */
const maxAttempts = 4;

/** Reports of all replicas run one after another (`insertBatch`). Those of this one wait in memory for their turn. */
const reports = new ConcurrencyLimit(1, 'The deadline passed while the report waited for others; nothing was done.');

/** It is no change of a flag: it raises no version and no revision. */
export async function reportUsage(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<z.input<typeof contract.output>> {
  return await reports.run(context, () => storeReport(resources, input, context));
}

async function storeReport(
  { db, usageRetentionDays }: FlagsResources,
  { batchId, rows, instances }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<z.input<typeof contract.output>> {
  const evaluated = rows.filter(({ yes, no }) => yes + no > 0);
  const applications = reportedApplications(evaluated, instances);
  const sdks = reportedSdks(instances);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(async (trx) => {
        if (!(await insertBatch(trx, batchId))) return {};
        deleteOldBatches(trx);
        if (applications.length === 0) return {};
        const { inserted, excess } = await insertApplications(trx, applications, usageBounds);
        // It is no application of its own, so it has no event.
        if (excess.size > 0) await insertOtherApplications(trx);
        const insertedSdks = await insertSdks(trx, sdks, usageBounds);
        const created = applications.filter(({ name }) => inserted.has(name));
        const registered = insertedSdks.map(({ application, sdkVersion }) => {
          return sdks.find((sdk) => sdk.application === application && sdk.sdkVersion === sdkVersion)!;
        });
        const events: { by: Reporter; event: ReportEvent }[] = [
          ...created.map(({ name, registration }) => {
            const { username } = systemActor;
            const data = applicationEventData({ name, strategies: registration?.strategies ?? [] }, username);
            const event = { ...eventOf(name, context), type: 'application-created' as const, data };
            return { by: inserted.get(name)!, event };
          }),
          ...registered.map((sdk) => {
            const { application, environment } = sdk;
            const data = registrationEventData(sdk);
            const event = { ...eventOf(application, context), type: 'client-register' as const, environment, data };
            return { by: reporterOf(sdk), event };
          }),
        ];
        appendEvents(trx, await withinEventsOfTokens(trx, events, usageBounds));
        deferInstances(trx, instances, usageBounds);
        const counted = evaluated.map((row) =>
          excess.has(row.application) ? { ...row, application: otherApplications } : row,
        );
        const now = Date.now();
        const hourly = hourlyUsage(counted, usageRetentionDays, now);
        deferHourlyUsage(trx, await withinEntriesOfTokens(trx, hourly, usageBounds, now), usageBounds);
        deferLastUses(trx, lastUses(evaluated));
        return { excessApplications: excess.size };
      });
    } catch (error) {
      if (!isForeignKeyViolation(error) || attempt === maxAttempts) throw error;
    }
  }
}

function eventOf(application: string, { requestId, traceparent }: ServedContext) {
  return { actor: systemActor, orderingKey: applicationOrderingKey(application), requestId, traceparent };
}
