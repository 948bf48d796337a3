import type {
  Application,
  ApplicationDetail,
  listOutdatedSdks as outdatedContract,
  getApplicationOverview as overviewContract,
  ProjectApplication,
} from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { builtInTypes, isBuiltIn } from '../../targeting/strategies/known-strategies.ts';
import { toStrategyType } from '../../targeting/strategy-types/strategy-type.ts';
import { findStrategyTypes } from '../../targeting/strategy-types/strategy-types.repo.ts';
import { applicationNotFound, outdatedSdks, sdksByName, toApplicationEnvironment } from './application.ts';
import { findApplicationDetail } from './application-detail.repo.ts';
import { toApplicationDetail } from './application-detail.ts';
import {
  deleteApplicationRow,
  findApplication,
  findSdksInUse,
  hasApplication,
  listApplicationRows,
  listProjectApplicationRows,
  type Page,
} from './applications.repo.ts';
import { findApplicationEnvironments, findApplicationUse, findInstances } from './overview.repo.ts';

type Named = { appName: string };

/** The limit of the contracts, of instances and of flags. */
const maxListed = 1_000;

export async function listApplications(
  { db }: FlagsResources,
  page: Page,
): Promise<{ total: number; applications: Application[] }> {
  return await listApplicationRows(db.kysely, page);
}

export async function getApplication({ db }: FlagsResources, { appName }: Named): Promise<Application> {
  const application = await findApplication(db.kysely, appName);
  if (!application) throw applicationNotFound(appName);
  return application;
}

export async function getApplicationDetail({ db }: FlagsResources, { appName }: Named): Promise<ApplicationDetail> {
  const application = await findApplicationDetail(db.kysely, appName, maxListed);
  if (!application) throw applicationNotFound(appName);
  const types = await findStrategyTypes(db.kysely, application.strategies);
  return toApplicationDetail(application, [...builtInTypes, ...types.map(toStrategyType)]);
}

export async function deleteApplication({ db }: FlagsResources, { appName }: Named): Promise<void> {
  await deleteApplicationRow(db.kysely, appName);
}

export async function getApplicationOverview(
  { db }: FlagsResources,
  { appName }: Named,
): Promise<z.output<typeof overviewContract.output>> {
  const [use, environments, inUse] = await Promise.all([
    findApplicationUse(db.kysely, appName),
    findApplicationEnvironments(db.kysely, appName),
    findSdksInUse(db.kysely, null),
  ]);
  if (!use) throw applicationNotFound(appName);
  const { strategies, customStrategies, projects, featureCount } = use;
  const missingStrategies = strategies.filter((name) => !isBuiltIn(name) && !customStrategies.includes(name));
  const known = inUse.map(({ sdkVersion }) => sdkVersion);
  return {
    ...{ featureCount, issues: { missingStrategies }, projects },
    environments: environments.map((environment) => toApplicationEnvironment(environment, known)),
  };
}

export async function listApplicationInstances(
  { db }: FlagsResources,
  input: Named & { environment: string },
): Promise<{
  instances: { instanceId: string; sdkVersion: string | null; clientIp: string | null; lastSeen: string }[];
}> {
  if (!(await hasApplication(db.kysely, input.appName))) throw applicationNotFound(input.appName);
  const rows = await findInstances(db.kysely, input, maxListed);
  return { instances: rows.map((row) => ({ ...row, lastSeen: row.lastSeen.toISOString() })) };
}

export async function listProjectApplications(
  { db }: FlagsResources,
  { projectId, ...page }: Page & { projectId: string },
): Promise<{ total: number; applications: ProjectApplication[] }> {
  if (!(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const { total, applications } = await listProjectApplicationRows(db.kysely, projectId, page);
  return {
    total,
    applications: applications.map(({ sdkVersions, ...application }) => ({
      ...application,
      sdks: sdksByName(sdkVersions),
    })),
  };
}

export async function listOutdatedSdks(
  { db }: FlagsResources,
  { projectId }: { projectId?: string | undefined },
): Promise<z.output<typeof outdatedContract.output>> {
  if (projectId !== undefined && !(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const all = await findSdksInUse(db.kysely, null);
  const listed = projectId === undefined ? all : await findSdksInUse(db.kysely, projectId);
  const versions = (sdks: typeof all) => sdks.map(({ sdkVersion }) => sdkVersion);
  const outdated = new Set(outdatedSdks(versions(listed), versions(all)));
  return { sdks: listed.filter(({ sdkVersion }) => outdated.has(sdkVersion)) };
}
