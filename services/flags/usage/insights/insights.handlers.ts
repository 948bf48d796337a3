import type { getLifecycleTrends, LifecycleTrend, listWeeklyTrends } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { findPhases, findWeeks, type TrendPhase } from './insights.repo.ts';

const none = { flagsOlderThanWeek: 0, newFlagsThisWeek: 0 };
const emptyPhase: LifecycleTrend = {
  ...{ totalFlags: 0, medianDaysInCurrentStage: 0, medianDaysHistorically: 0 },
  categories: { experimental: none, release: none, permanent: none },
};

export async function getTrendsOfLifecycle(
  { db }: FlagsResources,
  { projects }: z.output<typeof getLifecycleTrends.input>,
): Promise<z.output<typeof getLifecycleTrends.output>> {
  const phases = await findPhases(db.kysely, projects);
  const trendOf = (name: TrendPhase): LifecycleTrend => {
    const found = phases.find(({ phase }) => phase === name);
    if (found === undefined) return emptyPhase;
    const { phase: _, ...trend } = found;
    return trend;
  };
  const [develop, production, cleanup] = [trendOf('develop'), trendOf('production'), trendOf('cleanup')];
  return { lifecycleTrends: { develop, production, cleanup } };
}

export async function listTrendsOfWeeks(
  { db }: FlagsResources,
  period: z.output<typeof listWeeklyTrends.input>,
): Promise<z.output<typeof listWeeklyTrends.output>> {
  return await findWeeks(db.kysely, period);
}
