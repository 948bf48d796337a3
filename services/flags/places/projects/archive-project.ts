import type { ServedContext } from '@yardarm/shared/bus';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { requireWithinLimit } from '../limits/limits.repo.ts';
import { lockProject } from './find-project.ts';
import { defaultProject, isDefaultProject, projectInUse, projectOrderingKey } from './project.ts';
import { findLiveFeatureNames, updateProjectRow } from './projects.repo.ts';

/** SDKs see no difference: every flag of the project is archived. */
export async function archiveProject(
  resources: FlagsResources,
  { projectId: id }: { projectId: string },
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const project = await lockProject(trx, id);
    if (id === defaultProject) throw isDefaultProject();
    if (project.archivedAt !== null) return;
    const live = await findLiveFeatureNames(trx, id, 4);
    if (live.length > 0) throw projectInUse(id, live);
    await updateProjectRow(trx, { ...project, archivedAt: new Date() });
    const events = [{ type: 'project-archived' as const, project: id }];
    await emit({ context, orderingKey: projectOrderingKey(id), events });
  });
}

export async function reviveProject(
  resources: FlagsResources,
  { projectId: id }: { projectId: string },
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const project = await lockProject(trx, id);
    if (project.archivedAt === null) return;
    await updateProjectRow(trx, { ...project, archivedAt: null });
    const events = [{ type: 'project-revived' as const, project: id }];
    await emit({ context, orderingKey: projectOrderingKey(id), events });
    await requireWithinLimit(trx, 'projects', resources.limits);
  });
}
