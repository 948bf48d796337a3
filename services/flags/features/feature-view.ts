import type { Feature, FeatureEnvironment, Strategy } from '@yardarm/shared/contracts/flags';
import { featureEventData, type StoredFeature } from './feature.ts';
import { type KnownPerson, toPerson } from './person.ts';

export interface FeatureDetails {
  createdBy: KnownPerson;
  tags: Feature['tags'];
  lifecycle: { stage: Feature['lifecycle']['stage']; enteredAt: string };
  collaborators: KnownPerson[];
  environments: {
    name: string;
    type: string;
    sortOrder: number;
    enabled: boolean;
    strategies: Omit<Strategy, 'featureName'>[];
  }[];
}

/** The flag as administrators see it. The deprecated strategies, variants and lastSeenAt are always empty. */
export function toFeature(feature: StoredFeature & FeatureDetails): Feature {
  return {
    ...featureEventData(feature),
    enabled: feature.environments.some(({ enabled }) => enabled),
    favorite: false,
    createdBy: toPerson(feature.createdBy),
    environments: feature.environments.map((environment) => toFeatureEnvironment(feature.name, environment)),
    variants: [],
    strategies: [],
    tags: feature.tags,
    children: [],
    lifecycle: { stage: feature.lifecycle.stage, enteredStageAt: new Date(feature.lifecycle.enteredAt).toISOString() },
    dependencies: [],
    collaborators: { users: feature.collaborators.map(toPerson) },
  };
}

function toFeatureEnvironment(
  featureName: string,
  environment: FeatureDetails['environments'][number],
): FeatureEnvironment {
  const { name, type, sortOrder, enabled, strategies } = environment;
  return {
    name,
    featureName,
    environment: name,
    type,
    enabled,
    sortOrder,
    variantCount: 0,
    strategies: strategies.map((strategy) => ({ ...strategy, featureName })),
    variants: [],
    lastSeenAt: null,
    hasStrategies: strategies.length > 0,
    hasEnabledStrategies: strategies.some(({ disabled }) => !disabled),
  };
}
