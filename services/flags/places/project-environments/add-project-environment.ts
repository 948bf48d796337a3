import type { ServedContext } from '@yardarm/shared/bus';
import type { addProjectEnvironment as contract } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { type NounEvent, recordChange } from '../../changes/record-change.ts';
import type { EnvironmentOfProject } from '../../changes/revisions.repo.ts';
import { countSegmentsOfArchived } from '../../changes/sizes.repo.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { lockFeaturesOfProjects } from '../../features/features.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { findDefinitions } from '../../targeting/strategies/definitions.repo.ts';
import { isBuiltIn } from '../../targeting/strategies/known-strategies.ts';
import { deleteLeftUsage } from '../../usage/left-usage.repo.ts';
import { unknownEnvironment } from '../environments/environment.ts';
import { lockEnvironments } from '../environments/environments.repo.ts';
import { requireStrategiesWithinLimit } from '../environments/strategies-limit.ts';
import { requireRoom } from '../limits/room.repo.ts';
import { requireOpenProject } from '../projects/find-project.ts';
import { projectOrderingKey } from '../projects/project.ts';
import { findHiddenReferences, restoreEnvironmentOfFeatures } from './hidden-environments.repo.ts';
import {
  checkedDefaultStrategy,
  environmentAlreadyAdded,
  type HiddenCounts,
  hiddenData,
  requireEnabled,
} from './project-environment.ts';
import {
  findSegmentsInUse,
  insertEnvironmentOfFeatures,
  insertProjectEnvironment,
  updateDefaultStrategies,
} from './project-environments.repo.ts';

/**
 * Adds an environment to a project. All flags of the project are in it from then on, also archived ones, which can be
 * revived. They are off, with the strategies and variants that they had there before the project removed it. The flags
 * that are not archived get the raised revision: a reader may know revisions of an earlier time in which the project
 * had the environment.
 */
export async function addProjectEnvironment(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  const { projectId: project, environment } = input;
  await deleteEarlierUsage(resources, { project, environment }, context);
  await recordChange(resources, context, async (trx, emit) => {
    await requireOpenProject(trx, project, 'update');
    const stored = (await lockEnvironments(trx, [environment], 'share')).get(environment);
    if (stored === undefined) throw unknownEnvironment(environment, 'environment');
    if (!(await insertProjectEnvironment(trx, project, environment)))
      throw environmentAlreadyAdded(project, environment);
    requireEnabled(stored);
    const features = await lockFeaturesOfProjects(trx, [project]);
    await insertEnvironmentOfFeatures(trx, project, environment);
    const data = hiddenData(await restoreHidden(trx, project, environment));
    if (data !== null) await requireStrategiesWithinLimit(trx, [project]);
    await countSegmentsOfArchived(trx, environment, [project]);
    const events: NounEvent[] = [{ type: 'project-environment-added', project, environment, data }];
    if (input.defaultStrategy !== undefined) {
      const definitions = await findDefinitions(trx, [input.defaultStrategy], project);
      const data = checkedDefaultStrategy(input.defaultStrategy, resources.limits, definitions);
      await updateDefaultStrategies(trx, project, [environment], data);
      events.push({ type: 'default-strategy-updated', project, environment, data });
    }
    const segmentUses = await findSegmentsInUse(trx, [project], environment);
    const visible = features
      .filter(({ archivedAt }) => archivedAt === null)
      .map(({ name }) => ({ featureName: name, environment, isRemoved: false }));
    await emit({
      context,
      orderingKey: projectOrderingKey(project),
      events,
      visible: { features: visible, places: [{ environment, project }], segmentUses },
    });
    if (input.defaultStrategy !== undefined) await requireRoom(trx, 'default strategies');
  });
}

/** Usage from before the project removed the environment would be shown again. */
async function deleteEarlierUsage(
  { db, usageRetentionDays: keptDays }: FlagsResources,
  place: EnvironmentOfProject,
  { deadline }: ServedContext,
): Promise<void> {
  if (await deleteLeftUsage(db, { ...place, keptDays }, deadline)) return;
  const message = 'Usage of the time when the project had the environment is still being deleted; nothing was added.';
  throw new AppError('unavailable', message, { retryAfterSeconds: 1 });
}

/** What the strategies refer to is locked first: a segment that is deleted meanwhile would fail a foreign key. */
async function restoreHidden(
  trx: Transaction<FlagsTables>,
  project: string,
  environment: string,
): Promise<HiddenCounts> {
  const { types, segments } = await findHiddenReferences(trx, project, environment);
  const referring = types.map((name) => ({ name, segments, constraints: [] }));
  const definitions = await findDefinitions(trx, referring, project);
  return await restoreEnvironmentOfFeatures(
    trx,
    { project, environment },
    {
      types: types.filter((name) => isBuiltIn(name) || definitions.types.has(name)),
      segments: [...definitions.segments],
    },
  );
}
