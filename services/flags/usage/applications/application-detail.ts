import type { ApplicationDetail, StrategyType } from '@yardarm/shared/contracts/flags';

/** What Postgres reads of an application. The times are dates in JSON. */
export type ReadApplicationDetail = Omit<ApplicationDetail, 'strategies' | 'links' | 'sdkVersion'> & {
  sdkVersion: string | null;
  strategies: string[];
};

/** The application with the types of its strategies. An application may name one that does not exist here. */
export function toApplicationDetail(
  { sdkVersion, strategies, createdAt, instances, seenToggles, ...rest }: ReadApplicationDetail,
  types: readonly StrategyType[],
): ApplicationDetail {
  const typeOf = new Map(types.map((type) => [type.name, type]));
  return {
    ...rest,
    createdAt: toTime(createdAt),
    ...(sdkVersion !== null && { sdkVersion }),
    strategies: strategies.map((name) => typeOf.get(name) ?? { name, notFound: true as const }),
    instances: instances.map((instance) => ({
      ...instance,
      lastSeen: toTime(instance.lastSeen),
      createdAt: toTime(instance.createdAt),
    })),
    seenToggles: seenToggles.map((flag) => ({ ...flag, createdAt: toTime(flag.createdAt) })),
    links: { self: `/api/applications/${encodeURIComponent(rest.appName)}` },
  };
}

function toTime(date: string): string {
  return new Date(date).toISOString();
}
