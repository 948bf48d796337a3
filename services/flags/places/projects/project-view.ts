import type { FeatureNaming, LinkTemplate, ProjectOverview, ProjectSummary } from '@yardarm/shared/contracts/flags';

/** What Postgres reads of a project for its views. Counts are of flags that are not archived. */
export interface ReadProject {
  id: string;
  name: string;
  description: string | null;
  mode: 'open';
  defaultStickiness: string;
  featureLimit: number | null;
  featureNaming: FeatureNaming | null;
  linkTemplates: LinkTemplate[];
  createdAt: Date;
  updatedAt: Date;
  archivedAt: Date | null;
  favorite: boolean;
  featureCount: number;
  staleFeatureCount: number;
  potentiallyStaleFeatureCount: number;
  cleanupCount: number;
  changedAt: Date | null;
  lastSeenAt: Date | null;
  /** The name of the oldest flag, archived or not; null when a flag was evaluated. */
  firstFeature: string | null;
}

/** Rounded as in the public product: a project without flags has no debt. */
export function technicalDebt(
  project: Pick<ReadProject, 'featureCount' | 'staleFeatureCount' | 'potentiallyStaleFeatureCount'>,
): { health: number; technicalDebt: number } {
  const { featureCount, staleFeatureCount, potentiallyStaleFeatureCount } = project;
  const share = featureCount === 0 ? 0 : (staleFeatureCount + potentiallyStaleFeatureCount) / featureCount;
  const debt = Math.round(share * 100);
  return { health: 100 - debt, technicalDebt: debt };
}

/** As in the public product, a potentially stale flag is active. */
export function flagCounts({ featureCount, staleFeatureCount, potentiallyStaleFeatureCount }: ReadProject) {
  return {
    activeCount: featureCount - staleFeatureCount,
    potentiallyStaleCount: potentiallyStaleFeatureCount,
    staleCount: staleFeatureCount,
  };
}

export function toProjectSummary(project: ReadProject): ProjectSummary {
  const { featureLimit, featureNaming, linkTemplates, changedAt, lastSeenAt, firstFeature, ...rest } = project;
  const lastUpdatedAt = changedAt !== null && changedAt > project.updatedAt ? changedAt : project.updatedAt;
  return {
    ...rest,
    ...technicalDebt(project),
    ...times(project),
    lastUpdatedAt: lastUpdatedAt.toISOString(),
    lastReportedFlagUsage: lastSeenAt?.toISOString() ?? null,
    onboardingStatus: onboardingStatus(project),
  };
}

export function toProjectOverview(
  project: ReadProject,
  details: Pick<ProjectOverview, 'environments' | 'featureTypeCounts' | 'stats'>,
): ProjectOverview {
  const { name, description, mode, defaultStickiness, featureLimit, featureNaming, linkTemplates, favorite } = project;
  return {
    ...{ name, description, mode, defaultStickiness, featureLimit, linkTemplates, favorite },
    featureNaming: featureNaming ?? { pattern: null, example: null, description: null },
    ...technicalDebt(project),
    ...times(project),
    onboardingStatus: onboardingStatus(project),
    ...details,
  };
}

function times({ createdAt, updatedAt, archivedAt }: ReadProject) {
  return {
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    archivedAt: archivedAt?.toISOString() ?? null,
  };
}

function onboardingStatus({ lastSeenAt, firstFeature }: ReadProject): ProjectSummary['onboardingStatus'] {
  if (lastSeenAt !== null) return { status: 'onboarded' };
  return firstFeature === null
    ? { status: 'onboarding-started' }
    : { status: 'first-flag-created', feature: firstFeature };
}
