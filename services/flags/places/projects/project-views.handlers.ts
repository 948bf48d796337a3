import type { ServedContext } from '@yardarm/shared/bus';
import type {
  getProjectHealth as healthContract,
  listOwnFlags as ownFlagsContract,
  ProjectOverview,
  ProjectSummary,
  listReleases as releasesContract,
  getProjectStatus as statusContract,
} from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { actorOf } from '../../changes/record-change.ts';
import { toPerson } from '../../features/person.ts';
import type { FlagsResources } from '../../resources.ts';
import { projectNotFound } from './project.ts';
import { flagCounts, type ReadProject, technicalDebt, toProjectOverview, toProjectSummary } from './project-view.ts';
import {
  findFlagCreators,
  findFlagsOfUser,
  findOverviewDetails,
  findProjectRow,
  findReleases,
  findStatusDetails,
  listProjectRows,
} from './project-views.repo.ts';
import { hasProject } from './projects.repo.ts';

type OfProject = { projectId: string };

/** The limit of the contract: a person's own flags are a reminder and no list of all. */
const maxOwnFlags = 100;

export async function listProjects(
  { db }: FlagsResources,
  input: { archived: boolean; ids?: string[] | undefined },
  { actor }: ServedContext,
): Promise<{ projects: ProjectSummary[] }> {
  const rows = await listProjectRows(db.kysely, { ...input, userId: actor?.id ?? null });
  return { projects: rows.map(toProjectSummary) };
}

export async function getProjectOverview(
  resources: FlagsResources,
  { projectId }: OfProject,
  context: ServedContext,
): Promise<ProjectOverview> {
  const project = await requireProjectRow(resources, projectId, context);
  const details = await findOverviewDetails(resources.db.kysely, projectId);
  return toProjectOverview(project, details);
}

export async function getProjectHealth(
  resources: FlagsResources,
  { projectId }: OfProject,
  context: ServedContext,
): Promise<z.output<typeof healthContract.output>> {
  const project = await requireProjectRow(resources, projectId, context);
  const details = await findOverviewDetails(resources.db.kysely, projectId);
  return { ...toProjectOverview(project, details), ...flagCounts(project) };
}

export async function listReleases(
  { db }: FlagsResources,
  { projectId }: OfProject,
): Promise<z.output<typeof releasesContract.output>> {
  const releases = await findReleases(db.kysely, projectId);
  if (!releases) throw projectNotFound(projectId);
  const features = releases.features.map(({ name, createdAt }) => ({
    name,
    createdAt: new Date(createdAt).toISOString(),
  }));
  return { ...releases, features };
}

export async function getProjectStatus(
  resources: FlagsResources,
  { projectId }: OfProject,
  context: ServedContext,
): Promise<z.output<typeof statusContract.output>> {
  const project = await requireProjectRow(resources, projectId, context);
  const { stages, segments } = await findStatusDetails(resources.db.kysely, projectId);
  const of = (name: string) => {
    const { averageDays = null, currentFlags = 0 } = stages.find(({ stage }) => stage === name) ?? {};
    return { averageDays, currentFlags };
  };
  const archived = stages.find(({ stage }) => stage === 'archived');
  const debt = technicalDebt(project);
  return {
    segments,
    health: { current: debt.health },
    technicalDebt: { current: debt.technicalDebt },
    lifecycleSummary: {
      ...{ initial: of('initial'), preLive: of('pre-live'), live: of('live'), completed: of('completed') },
      archived: { currentFlags: archived?.currentFlags ?? 0, last30Days: archived?.last30Days ?? 0 },
    },
    staleFlags: { total: project.staleFeatureCount + project.potentiallyStaleFeatureCount },
  };
}

export async function listFlagCreators(
  { db }: FlagsResources,
  { projectId }: Partial<OfProject>,
): Promise<{ creators: { id: number; name: string }[] }> {
  if (projectId !== undefined && !(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const people = (await findFlagCreators(db.kysely, projectId)).map(toPerson);
  const creators = people
    .map(({ id, name }) => ({ id, name }))
    .sort((one, other) => one.name.localeCompare(other.name));
  return { creators };
}

export async function listOwnFlags(
  { db }: FlagsResources,
  _: object,
  context: ServedContext,
): Promise<z.output<typeof ownFlagsContract.output>> {
  return { flags: await findFlagsOfUser(db.kysely, actorOf(context).id, maxOwnFlags) };
}

async function requireProjectRow(
  { db }: FlagsResources,
  projectId: string,
  { actor }: ServedContext,
): Promise<ReadProject> {
  const project = await findProjectRow(db.kysely, projectId, actor?.id ?? null);
  if (!project) throw projectNotFound(projectId);
  return project;
}
