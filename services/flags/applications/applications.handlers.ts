import { splitIntoPieces } from '@yardarm/shared/bus';
import type {
  Application,
  listOutdatedSdks as outdatedContract,
  getApplicationOverview as overviewContract,
  ProjectApplication,
} from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { projectNotFound } from '../projects/project.ts';
import { hasProject } from '../projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { isBuiltIn } from '../strategies/known-strategies.ts';
import { applicationNotFound, outdatedSdks, sdksByName, toApplicationEnvironment } from './application.ts';
import {
  deleteApplicationRow,
  findApplication,
  findSdksInUse,
  listApplicationRows,
  listProjectApplicationRows,
  type Page,
} from './applications.repo.ts';
import { findApplicationEnvironments, findApplicationUse, findInstances } from './overview.repo.ts';

type Named = { appName: string };

/** The limit of the contract. */
const maxInstances = 1_000;

export async function* listApplications(
  { db }: FlagsResources,
  page: Page,
): AsyncGenerator<{ total: number; applications: Application[] }> {
  const { total, applications } = await listApplicationRows(db.kysely, page);
  yield* pieces(applications, (piece) => ({ total, applications: piece }));
}

export async function getApplication({ db }: FlagsResources, { appName }: Named): Promise<Application> {
  const application = await findApplication(db.kysely, appName);
  if (!application) throw applicationNotFound(appName);
  return application;
}

export async function deleteApplication({ db }: FlagsResources, { appName }: Named): Promise<void> {
  await deleteApplicationRow(db.kysely, appName);
}

export async function* getApplicationOverview(
  { db }: FlagsResources,
  { appName }: Named,
): AsyncGenerator<z.output<typeof overviewContract.output>> {
  const [use, environments, inUse] = await Promise.all([
    findApplicationUse(db.kysely, appName),
    findApplicationEnvironments(db.kysely, appName),
    findSdksInUse(db.kysely, null),
  ]);
  if (!use) throw applicationNotFound(appName);
  const { strategies, customStrategies, projects, featureCount } = use;
  const missingStrategies = strategies.filter((name) => !isBuiltIn(name) && !customStrategies.includes(name));
  const known = inUse.map(({ sdkVersion }) => sdkVersion);
  const answered = environments.map((environment) => toApplicationEnvironment(environment, known));
  const rest = { featureCount, issues: { missingStrategies } };
  yield { ...rest, projects, environments: [] };
  for (const piece of splitIntoPieces(answered)) yield { ...rest, projects: [], environments: piece };
}

export async function* listApplicationInstances(
  { db }: FlagsResources,
  input: Named & { environment: string },
): AsyncGenerator<{
  instances: { instanceId: string; sdkVersion: string | null; clientIp: string | null; lastSeen: string }[];
}> {
  if (!(await findApplication(db.kysely, input.appName))) throw applicationNotFound(input.appName);
  const rows = await findInstances(db.kysely, input, maxInstances);
  const instances = rows.map((row) => ({ ...row, lastSeen: row.lastSeen.toISOString() }));
  yield* pieces(instances, (piece) => ({ instances: piece }));
}

export async function* listProjectApplications(
  { db }: FlagsResources,
  { projectId, ...page }: Page & { projectId: string },
): AsyncGenerator<{ total: number; applications: ProjectApplication[] }> {
  if (!(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const { total, applications } = await listProjectApplicationRows(db.kysely, projectId, page);
  const answered = applications.map(({ sdkVersions, ...application }) => ({
    ...application,
    sdks: sdksByName(sdkVersions),
  }));
  yield* pieces(answered, (piece) => ({ total, applications: piece }));
}

export async function* listOutdatedSdks(
  { db }: FlagsResources,
  { projectId }: { projectId?: string | undefined },
): AsyncGenerator<z.output<typeof outdatedContract.output>> {
  if (projectId !== undefined && !(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const all = await findSdksInUse(db.kysely, null);
  const listed = projectId === undefined ? all : await findSdksInUse(db.kysely, projectId);
  const versions = (sdks: typeof all) => sdks.map(({ sdkVersion }) => sdkVersion);
  const outdated = new Set(outdatedSdks(versions(listed), versions(all)));
  yield* pieces(
    listed.filter(({ sdkVersion }) => outdated.has(sdkVersion)),
    (sdks) => ({ sdks }),
  );
}

/** At least one piece, which may be empty. */
function* pieces<Item, Answer>(items: readonly Item[], toAnswer: (piece: Item[]) => Answer): Generator<Answer> {
  if (items.length === 0) yield toAnswer([]);
  for (const piece of splitIntoPieces(items)) yield toAnswer(piece);
}
