import type { ServedContext } from '@yardarm/shared/bus';
import type { removeProjectEnvironment as contract } from '@yardarm/shared/contracts/flags';
import { coerceError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import { lockFeaturesOfProjects } from '../../features/features.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { deleteLeftUsage } from '../../usage/left-usage.repo.ts';
import { endUsageOfFlags } from '../../usage/usage.repo.ts';
import { environmentNotFound } from '../environments/environment.ts';
import { requireOpenProject } from '../projects/find-project.ts';
import { projectOrderingKey } from '../projects/project.ts';
import { hideEnvironmentOfFeatures } from './hidden-environments.repo.ts';
import { hiddenData } from './project-environment.ts';
import { deleteProjectEnvironment, findDefaultStrategies, findSegmentsInUse } from './project-environments.repo.ts';

/** The last statement may take as long. */
const answerMs = 1_000;

/**
 * Removes an environment from a project. What its flags have there is hidden until the project adds the environment
 * again, or the environment is deleted. SDKs of the environment must forget the flags of the project. A write of one
 * of these flags has committed before, or finds the flag without the environment: the flags' rows are locked.
 *
 * Counts of usage are deleted after the commit: millions of them take longer than others can wait for the locks. Those
 * that the request has no time for are shown no more. They are deleted with their days.
 */
export async function removeProjectEnvironment(
  resources: FlagsResources,
  { projectId: project, environment }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    await requireOpenProject(trx, project, 'update');
    const found = await findDefaultStrategies(trx, project, environment);
    if (!found.has(environment)) throw environmentNotFound(environment, project);
    const features = await lockFeaturesOfProjects(trx, [project]);
    const segmentUses = await findSegmentsInUse(trx, [project], environment);
    await endUsageOfFlags(trx, project, environment);
    const hidden = await hideEnvironmentOfFeatures(trx, project, environment);
    await deleteProjectEnvironment(trx, project, environment);
    const departures = features
      .filter(({ archivedAt }) => archivedAt === null)
      .map(({ name }) => ({ featureName: name, environment, project }));
    await emit({
      context,
      orderingKey: projectOrderingKey(project),
      events: [{ type: 'project-environment-removed', project, environment, preData: hiddenData(hidden) }],
      visible: { departures, places: [{ environment, project }], segmentUses },
    });
  });
  const left = { project, environment, keptDays: resources.usageRetentionDays };
  await deleteLeftUsage(resources.db, left, context.deadline - answerMs).catch((error: unknown) =>
    resources.log.warn({ err: coerceError(error), ...left }, 'the usage in a removed environment was not deleted'),
  );
}
