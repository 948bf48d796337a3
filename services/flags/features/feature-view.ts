import type { Feature, FeatureEnvironment, Strategy } from '@yardarm/shared/contracts/flags';
import { type KnownPerson, shownPerson } from './person.ts';

/** A flag with everything around it, as it is read. */
export interface FeatureViewRow {
  name: string;
  project: string;
  type: string;
  description: string | null;
  stale: boolean;
  impressionData: boolean;
  createdAt: Date;
  archivedAt: Date | null;
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

/** The flag as administrators see it. Flag-level strategies, variants and lastSeenAt are deprecated and always empty. */
export function featureView(row: FeatureViewRow): Feature {
  return {
    name: row.name,
    type: row.type,
    description: row.description,
    archived: row.archivedAt !== null,
    project: row.project,
    enabled: row.environments.some(({ enabled }) => enabled),
    stale: row.stale,
    favorite: false,
    impressionData: row.impressionData,
    createdAt: row.createdAt.toISOString(),
    createdBy: shownPerson(row.createdBy),
    archivedAt: row.archivedAt?.toISOString() ?? null,
    lastSeenAt: null,
    environments: row.environments.map((environment) => environmentView(row.name, environment)),
    variants: [],
    strategies: [],
    tags: row.tags,
    children: [],
    lifecycle: { stage: row.lifecycle.stage, enteredStageAt: new Date(row.lifecycle.enteredAt).toISOString() },
    dependencies: [],
    collaborators: { users: row.collaborators.map(shownPerson) },
  };
}

function environmentView(featureName: string, environment: FeatureViewRow['environments'][number]): FeatureEnvironment {
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
