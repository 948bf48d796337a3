import type { Feature, FeatureEnvironment, Strategy, Variant, VersionedFeature } from '@yardarm/shared/contracts/flags';
import { featureEventData, type StoredFeature } from './feature.ts';
import { type StoredStage, toLifecycleStage } from './lifecycle/lifecycle.ts';
import type { StoredLink } from './links/link.ts';
import { type KnownPerson, toPerson } from './person.ts';

export interface FeatureDetails {
  createdBy: KnownPerson;
  favorite: boolean;
  tags: Feature['tags'];
  children: string[];
  dependencies: Feature['dependencies'];
  lifecycle: StoredStage;
  collaborators: KnownPerson[];
  links: StoredLink[];
  environments: {
    name: string;
    type: string;
    sortOrder: number;
    enabled: boolean;
    variants: Variant[];
    lastSeenAt: string | null;
    strategies: Strategy[];
    /** The evaluations of the last hour; missing where a view does not count them. */
    usage?: { yes: number; no: number };
  }[];
}

/**
 * The flag as administrators see it. The deprecated `variants` and `strategies` of a flag are those of its first
 * environment of the type production, else of its first environment.
 */
export function toFeature(feature: StoredFeature & FeatureDetails): Feature {
  const environments = feature.environments.map((environment) => toFeatureEnvironment(feature.name, environment));
  const main = environments.find(({ type }) => type === 'production') ?? environments[0];
  const seen = environments.flatMap(({ lastSeenAt }) => lastSeenAt ?? []);
  return {
    ...featureEventData(feature),
    lastSeenAt: seen.sort().at(-1) ?? null,
    enabled: environments.some(({ enabled }) => enabled),
    favorite: feature.favorite,
    createdBy: toPerson(feature.createdBy),
    environments,
    variants: main?.variants ?? [],
    strategies: main?.strategies ?? [],
    tags: feature.tags,
    children: feature.children,
    lifecycle: toLifecycleStage(feature.lifecycle),
    dependencies: feature.dependencies,
    collaborators: { users: feature.collaborators.map(toPerson) },
    links: feature.links.map((link) => ({ ...link, feature: feature.name })),
  };
}

export function toVersionedFeature(feature: StoredFeature & FeatureDetails): VersionedFeature {
  return { ...toFeature(feature), version: feature.version };
}

function toFeatureEnvironment(
  featureName: string,
  environment: FeatureDetails['environments'][number],
): FeatureEnvironment {
  const { name, type, sortOrder, enabled, variants, lastSeenAt, strategies, usage } = environment;
  return {
    name,
    featureName,
    environment: name,
    type,
    enabled,
    sortOrder,
    variantCount: variants.length,
    strategies,
    variants,
    lastSeenAt: lastSeenAt === null ? null : new Date(lastSeenAt).toISOString(),
    hasStrategies: strategies.length > 0,
    hasEnabledStrategies: strategies.some(({ disabled }) => !disabled),
    ...usage,
  };
}
