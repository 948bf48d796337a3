import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { hasGrown, requireRoom } from '../limits/room.repo.ts';
import { requireOpenProject } from './find-project.ts';
import { projectEventData, projectOrderingKey, type StoredProject } from './project.ts';
import { updateProjectRow } from './projects.repo.ts';

type Changeable = Pick<
  StoredProject,
  'name' | 'description' | 'defaultStickiness' | 'featureLimit' | 'featureNaming' | 'linkTemplates'
>;

/**
 * Changes properties of a project; undefined ones stay. A limit below the present number of flags refuses new flags and
 * keeps the present ones. SDKs see none of these properties.
 */
export async function changeProjectProperties(
  resources: FlagsResources,
  id: string,
  properties: { [Name in keyof Changeable]?: Changeable[Name] | undefined },
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const before = await requireOpenProject(trx, id, 'update');
    const given = Object.entries(properties).filter(([, value]) => value !== undefined);
    const changed: StoredProject = { ...before, ...Object.fromEntries(given) };
    if (isDeepStrictEqual(before, changed)) return;
    const after = await updateProjectRow(trx, changed);
    const [data, preData] = [projectEventData(after), projectEventData(before)];
    await emit({
      context,
      orderingKey: projectOrderingKey(id),
      events: [{ type: 'project-updated', project: id, data, preData }],
    });
    const descriptionOf = ({ description }: StoredProject) => ({ description });
    if (hasGrown(descriptionOf(before), descriptionOf(changed))) await requireRoom(trx, 'project descriptions');
  });
}
