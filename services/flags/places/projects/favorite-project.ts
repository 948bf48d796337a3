import type { ServedContext } from '@yardarm/shared/bus';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { requireUser } from '../users/require-user.ts';
import { deleteFavorite, insertFavorite } from './favorites.repo.ts';
import { requireOpenProject } from './find-project.ts';
import { projectNotFound, projectOrderingKey } from './project.ts';
import { lockProjects } from './projects.repo.ts';

export async function addFavoriteProject(
  resources: FlagsResources,
  { projectId: project }: { projectId: string },
  context: ServedContext,
): Promise<void> {
  const userId = requireUser(context);
  await recordChange(resources, context, async (trx, emit) => {
    await requireOpenProject(trx, project);
    if (!(await insertFavorite(trx, project, userId))) return;
    const events = [{ type: 'project-favorited' as const, project, data: { project } }];
    await emit({ context, orderingKey: projectOrderingKey(project), events });
  });
}

/** Removes the mark of an archived project, too. */
export async function removeFavoriteProject(
  resources: FlagsResources,
  { projectId: project }: { projectId: string },
  context: ServedContext,
): Promise<void> {
  const userId = requireUser(context);
  await recordChange(resources, context, async (trx, emit) => {
    if (!(await lockProjects(trx, [project], 'share')).has(project)) throw projectNotFound(project);
    if (!(await deleteFavorite(trx, project, userId))) return;
    const events = [{ type: 'project-unfavorited' as const, project, data: { project } }];
    await emit({ context, orderingKey: projectOrderingKey(project), events });
  });
}
