import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { listFirstSwitches } from '@yardarm/shared/contracts/events';
import { listReleases } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';

const dayMs = 86_400_000;
const days = z.number().min(0);

/** In days, from the creation of a flag to its first switch in an environment of the type production. */
export const leadTimeSchema = z
  .object({ features: z.array(z.object({ name: z.string(), timeToProduction: days })), projectAverage: days })
  .meta({ examples: [{ features: [{ name: 'checkout', timeToProduction: 7 }], projectAverage: 7 }] });

type LeadTime = z.infer<typeof leadTimeSchema>;

/**
 * As in the public product, flags of the type release alone count, archived ones too, and each as whole days. The log
 * knows the switches, so those that it no longer keeps do not count.
 */
export async function readLeadTime(bus: Bus, projectId: string, context: RequestContext): Promise<LeadTime> {
  const { environments, features } = await bus.request(listReleases, { projectId }, context);
  const { switches } = await bus.request(listFirstSwitches, { project: projectId, environments }, context);
  return leadTime(features, switches);
}

/** The lead time of the flags that were switched on. */
export function leadTime(
  features: readonly { name: string; createdAt: string }[],
  switches: readonly { featureName: string; createdAt: string }[],
): LeadTime {
  const switchedAt = new Map(switches.map(({ featureName, createdAt }) => [featureName, Date.parse(createdAt)]));
  const timed = features.flatMap(({ name, createdAt }) => {
    const at = switchedAt.get(name);
    // The clocks of two services differ.
    return at === undefined
      ? []
      : [{ name, timeToProduction: Math.max(0, Math.floor((at - Date.parse(createdAt)) / dayMs)) }];
  });
  const sum = timed.reduce((total, { timeToProduction }) => total + timeToProduction, 0);
  return { features: timed, projectAverage: timed.length === 0 ? 0 : Math.round((sum / timed.length) * 10) / 10 };
}
