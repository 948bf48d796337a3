import type { FeatureNaming, LinkTemplate, ProjectOverview, ProjectSummary } from '@yardarm/shared/contracts/flags';

/** What Postgres reads of a project for lists. Counts are of flags that are not archived. */
export interface ListedProject {
  id: string;
  name: string;
  description: string | null;
  mode: 'open';
  defaultStickiness: string;
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

/** What Postgres reads for the overview of one project. The link templates may have 500 kB. */
export interface ReadProject extends ListedProject {
  featureLimit: number | null;
  featureNaming: FeatureNaming | null;
  linkTemplates: LinkTemplate[];
}

/** Rounded as in the public product: a project without flags has no debt. */
export function technicalDebt(
  project: Pick<ListedProject, 'featureCount' | 'staleFeatureCount' | 'potentiallyStaleFeatureCount'>,
): { health: number; technicalDebt: number } {
  const { featureCount, staleFeatureCount, potentiallyStaleFeatureCount } = project;
  const share = featureCount === 0 ? 0 : (staleFeatureCount + potentiallyStaleFeatureCount) / featureCount;
  const debt = Math.round(share * 100);
  return { health: 100 - debt, technicalDebt: debt };
}

/** As in the public product, a potentially stale flag is active. */
export function flagCounts({ featureCount, staleFeatureCount, potentiallyStaleFeatureCount }: ListedProject) {
  return {
    activeCount: featureCount - staleFeatureCount,
    potentiallyStaleCount: potentiallyStaleFeatureCount,
    staleCount: staleFeatureCount,
  };
}

export function toProjectSummary(project: ListedProject): ProjectSummary {
  const { changedAt, lastSeenAt, firstFeature, ...rest } = project;
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

function times({ createdAt, updatedAt, archivedAt }: ListedProject) {
  return {
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    archivedAt: archivedAt?.toISOString() ?? null,
  };
}

function onboardingStatus({ lastSeenAt, firstFeature }: ListedProject): ProjectSummary['onboardingStatus'] {
  if (lastSeenAt !== null) return { status: 'onboarded' };
  return firstFeature === null
    ? { status: 'onboarding-started' }
    : { status: 'first-flag-created', feature: firstFeature };
}
