import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import type { changeProject as contract } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { actorOf, recordChange } from '../changes/record-change.ts';
import { deleteHidden } from '../places/project-environments/hidden-environments.repo.ts';
import { lockProjects, requireWithinFeatureLimit } from '../places/projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { lockLiveFeature } from './find-feature.ts';
import { findObstacles, updateProjectOfFeature } from './moves.repo.ts';

/**
 * Moves a flag to another project with its strategies, tags and history. Its state in each environment stays, so the
 * projects must have the same environments. One commit removes the flag from the old project and adds it to the new.
 * What it had in environments that the old project removed is deleted: the new project would show it to its own SDKs.
 */
export async function changeProject(
  resources: FlagsResources,
  { projectId: oldProject, featureName: name, newProjectId: newProject }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  requirePermission(actorOf(context), 'MOVE_FEATURE_TOGGLE', { project: newProject });
  await recordChange(resources, context, async (trx, emit) => {
    const target = (await lockProjects(trx, [oldProject, newProject], 'share')).get(newProject);
    const feature = await lockLiveFeature(trx, oldProject, name);
    if (target === undefined || target.archivedAt !== null) {
      const sent = redactValue(newProject, ['newProjectId']);
      throw new AppError('bad-data', `The .newProjectId property should be a project. You sent ${sent}.`);
    }
    if (newProject === oldProject) return;
    const { environments, segments, ...obstacles } = await findObstacles(trx, name, newProject);
    const [flag, project] = [redactValue(name, []), redactValue(newProject, [])];
    if (obstacles.hasDependencies) {
      throw new AppError('forbidden', `The feature ${flag} cannot move to another project while it has dependencies.`);
    }
    if (!obstacles.hasSameEnvironments) {
      throw new AppError(
        'incompatible-project',
        `The feature ${flag} cannot move to the project ${project}, which does not have the same environments.`,
      );
    }
    if (obstacles.otherSegment !== null) {
      throw new AppError(
        'incompatible-project',
        `The feature ${flag} cannot move to the project ${project}, which may not use its segment ${redactValue(obstacles.otherSegment, [])}.`,
      );
    }
    const hidden = await deleteHidden(trx, name);
    await updateProjectOfFeature(trx, name, newProject);
    await emit({
      context,
      feature: { ...feature, project: newProject },
      events: [
        {
          type: 'feature-project-change',
          data: { newProject, oldProject },
          preData: Object.keys(hidden).length === 0 ? null : { hiddenStrategies: hidden },
        },
      ],
      visibleIn: 'all',
      departures: environments.map((environment) => ({ environment, project: oldProject })),
      segments,
    });
    await requireWithinFeatureLimit(trx, target);
  });
}
