import type { BusMessage } from '@yardarm/shared/bus';
import { publishedEventSchema } from '@yardarm/shared/contracts/events';
import { projectIncarnationSchema } from '@yardarm/shared/contracts/flags';
import { appendEvents, originOfEvent } from '@yardarm/shared/db';
import type { SignalsResources } from '../resources.ts';
import { actionSetEvent } from './action-set.ts';
import { deleteActionSets, lockActionSetsOfProject, lockSetCount } from './action-sets.repo.ts';
import { insertDeletedProject } from './deleted-projects.repo.ts';

export const projectDeletedConsumer = 'signals-project-deleted';

/**
 * Deletes the action sets of a deleted project. Those of a project that was made again under the id stay. Until then
 * flags refuses the steps of these sets in the later project. It needs no inbox: a repeated message finds no such set,
 * because each set is deleted in one transaction with its event, under a lock.
 */
export async function handleProjectDeleted({ db }: Pick<SignalsResources, 'db'>, message: BusMessage): Promise<void> {
  const event = publishedEventSchema.parse(message.payload);
  const project = projectIncarnationSchema.parse(event.preData);
  await db.transaction(async (trx) => {
    // Waits for a creation that has not committed yet. A later one finds that the project is deleted.
    await lockSetCount(trx, project.id);
    await insertDeletedProject(trx, project);
    const sets = await lockActionSetsOfProject(trx, project, event.createdAt);
    if (sets.length === 0) return;
    await deleteActionSets(
      trx,
      sets.map(({ id }) => id),
    );
    // The actor who deleted the project also deleted its sets.
    const origin = originOfEvent(event);
    appendEvents(
      trx,
      sets.map((set) => ({ ...actionSetEvent({ before: set }), ...origin })),
    );
  });
}
