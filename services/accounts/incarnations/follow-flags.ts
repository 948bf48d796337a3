import type { Bus, BusMessage } from '@yardarm/shared/bus';
import { type PublishedEvent, publishedEventSchema } from '@yardarm/shared/contracts/events';
import { environmentIncarnationSchema, projectIncarnationSchema } from '@yardarm/shared/contracts/flags';
import { appendEvent, firstTime, originOfEvent, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { grantRoles, lockProjectAccess } from '../project-access/project-access.repo.ts';
import { projectAccessOrderingKey } from '../project-access/project-access.ts';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { lockUsersForShare } from '../roles/holders.repo.ts';
import { ownerRoleId } from '../roles/role.ts';
import { lockIncarnations, markEarlierDeleted } from './incarnations.repo.ts';
import { removeAccess } from './remove-access.ts';
import { removeProjectAccess } from './remove-project-access.ts';

/** The names of the durables, and of the consumers in the inbox. */
export const createdConsumer = 'accounts-project-created';
export const deletedConsumer = 'accounts-project-deleted';
export const environmentDeletedConsumer = 'accounts-environment-deleted';

type Resources = Pick<AccountsResources, 'bus' | 'db'>;

/**
 * Makes the creator Owner of a new project. A project that is already deleted gets none. A replay delivers creations
 * and deletions in any order, so a later incarnation also removes the access to an earlier one.
 */
export async function handleProjectCreated({ bus, db }: Resources, message: BusMessage): Promise<void> {
  const event = publishedEventSchema.parse(message.payload);
  const project = projectIncarnationSchema.parse(event.data);
  await db.transaction(async (trx) => {
    if (!(await firstTime(trx, createdConsumer, event.eventId))) return;
    await lockProjectAccess(trx, project.id);
    if (await markEarlierDeleted(trx, project)) await removeProjectAccess(trx, bus, project.id, originOfEvent(event));
    const gone = await lockIncarnations(trx, [project]);
    if (gone.projects.length === 0) await makeOwner(trx, bus, project.id, event);
  });
}

export async function handleProjectDeleted({ bus, db }: Resources, message: BusMessage): Promise<void> {
  const event = publishedEventSchema.parse(message.payload);
  const project = projectIncarnationSchema.parse(event.preData);
  await db.transaction(async (trx) => {
    if (!(await firstTime(trx, deletedConsumer, event.eventId))) return;
    await removeAccess(trx, bus, project, originOfEvent(event));
  });
}

export async function handleEnvironmentDeleted({ bus, db }: Resources, message: BusMessage): Promise<void> {
  const event = publishedEventSchema.parse(message.payload);
  const environment = environmentIncarnationSchema.parse(event.preData);
  await db.transaction(async (trx) => {
    if (!(await firstTime(trx, environmentDeletedConsumer, event.eventId))) return;
    await removeAccess(trx, bus, environment, originOfEvent(event));
  });
}

/** Admin tokens and the system are no users, so they own nothing. */
async function makeOwner(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  project: string,
  event: PublishedEvent,
): Promise<void> {
  const creator = event.createdByUserId;
  if (creator === null || !(await lockUsersForShare(trx, [creator])).has(creator)) return;
  const users = await grantRoles(trx, 'user', project, [creator], [ownerRoleId]);
  if (users.length === 0) return;
  appendEvent(trx, {
    type: 'project-access-added',
    project,
    data: { roles: [ownerRoleId], groups: [], users },
    orderingKey: projectAccessOrderingKey(project),
    ...originOfEvent(event),
  });
  hintAccessChanged(trx, bus, users);
}
