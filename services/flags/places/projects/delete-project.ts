import type { ServedContext } from '@yardarm/shared/bus';
import type { Transaction } from '@yardarm/shared/db';
import { type ChangedNoun, recordChange } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { deleteArchived } from '../../features/archive/delete-features.ts';
import { lockFeaturesOfProjects } from '../../features/features.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { contextFieldEventData, contextFieldOrderingKey } from '../../targeting/context-fields/context-field.ts';
import { segmentEventData, segmentOrderingKey } from '../../targeting/segments/segment.ts';
import { lockProject } from './find-project.ts';
import {
  defaultProject,
  isDefaultProject,
  projectEventData,
  projectInUse,
  projectOrderingKey,
  segmentsInUseElsewhere,
} from './project.ts';
import {
  deleteContextFieldsOfProject,
  deleteSegmentsOfProject,
  findUsersElsewhere,
  lockSegmentsOfProject,
} from './project-contents.repo.ts';
import { deleteProjectRow, findEnvironmentsOfProject } from './projects.repo.ts';

/**
 * Deletes a project whose flags are all archived, with these flags, its segments, context fields, environments and
 * favorites. Its counters stay and rise: a gateway that knows the project learns that nothing is left, and a project
 * that is made again under the id continues them.
 */
export async function deleteProject(
  resources: FlagsResources,
  { projectId: id }: { projectId: string },
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const project = await lockProject(trx, id);
    if (id === defaultProject) throw isDefaultProject();
    const features = await lockFeaturesOfProjects(trx, [id]);
    const live = features.filter(({ archivedAt }) => archivedAt === null).map(({ name }) => name);
    if (live.length > 0) throw projectInUse(id, live);
    const environments = await findEnvironmentsOfProject(trx, id);
    await deleteArchived(trx, emit, features, context);
    const definitions = await deleteDefinitions(trx, id, context);
    await deleteProjectRow(trx, project);
    await emit(...definitions, {
      context,
      orderingKey: projectOrderingKey(id),
      events: [{ type: 'project-deleted', project: id, preData: projectEventData(project) }],
      visible: { places: environments.map((environment) => ({ environment, project: id })) },
    });
  });
}

/** Deletes the definitions that only this project could use. */
async function deleteDefinitions(
  trx: Transaction<FlagsTables>,
  project: string,
  context: ChangedNoun['context'],
): Promise<ChangedNoun[]> {
  const segments = await lockSegmentsOfProject(trx, project);
  const users = await findUsersElsewhere(trx, project, 4);
  if (users.length > 0) throw segmentsInUseElsewhere(project, users);
  await deleteSegmentsOfProject(trx, project);
  const fields = await deleteContextFieldsOfProject(trx, project);
  return [
    ...segments.map((segment) => ({
      ...{ context, orderingKey: segmentOrderingKey(segment.id) },
      events: [{ type: 'segment-deleted' as const, project, preData: segmentEventData(segment) }],
    })),
    ...fields.map((field) => ({
      ...{ context, orderingKey: contextFieldOrderingKey(field.name) },
      events: [{ type: 'context-field-deleted' as const, project, preData: contextFieldEventData(field) }],
    })),
  ];
}
