import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { RequestContract } from '@yardarm/shared/contracts';
import { accountsLimitsSchema, getAccountsLimits } from '@yardarm/shared/contracts/accounts';
import { flagsLimitsSchema, getFlagsLimits } from '@yardarm/shared/contracts/flags';
import { getSignalsLimits, signalsLimitsSchema } from '@yardarm/shared/contracts/signals';
import { z } from 'zod';

/** Consoles show how much of a limit is used, and refuse to add more. */
export const resourceLimitsSchema = z
  .object({
    ...flagsLimitsSchema.shape,
    ...accountsLimitsSchema.shape,
    ...signalsLimitsSchema.shape,
    releaseTemplates: z.number().int(),
  })
  .meta({ id: 'resourceLimitsSchema' });

export type ResourceLimits = z.infer<typeof resourceLimitsSchema>;

/** The defaults of the services and of the public product. No service has actions or templates of releases. */
export const defaultLimits: ResourceLimits = {
  featureFlags: 50_000,
  featureEnvironmentStrategies: 30,
  strategySegments: 5,
  constraints: 30,
  constraintValues: 1_000,
  segments: 300,
  segmentValues: 1_000,
  projects: 500,
  environments: 50,
  apiTokens: 2_000,
  signalEndpoints: 5,
  signalTokensPerEndpoint: 5,
  actionSetActions: 10,
  actionSetsPerProject: 5,
  actionSetFilters: 5,
  actionSetFilterValues: 25,
  releaseTemplates: 10,
};

const contracts: readonly RequestContract[] = [getFlagsLimits, getAccountsLimits, getSignalsLimits];

/** Services answer in milliseconds. A console must not wait long for one that is away. */
const maxWaitMs = 500;

/** Asks the services for the effective limits. The last answer of a service that is away counts, else the defaults. */
export function createResourceLimits(bus: Bus): (context: RequestContext) => Promise<ResourceLimits> {
  let known = defaultLimits;
  return async (context) => {
    const deadline = Math.min(context.deadline, Date.now() + maxWaitMs);
    const answers = await Promise.allSettled(
      contracts.map((contract) => bus.request(contract, {}, { ...context, deadline })),
    );
    for (const answer of answers) if (answer.status === 'fulfilled') known = { ...known, ...(answer.value as object) };
    return known;
  };
}
