import type { Bus, BusMessage } from '@yardarm/shared/bus';
import { type PublishedEvent, publishedEventSchema } from '@yardarm/shared/contracts/events';
import { type ProjectIncarnation, projectIncarnationSchema } from '@yardarm/shared/contracts/flags';
import { appendEvent, type EventOrigin, firstTime, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { grantRoles, lockProjectAccess } from '../project-access/project-access.repo.ts';
import { projectAccessOrderingKey } from '../project-access/project-access.ts';
import type { AccountsResources } from '../resources.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';
import { lockUsersForShare } from '../roles/holders.repo.ts';
import { ownerRoleId } from '../roles/role.ts';
import { lockProjectsForShare, markProjectDeleted, updateIncarnation } from './projects.repo.ts';
import { removeAccess } from './remove-access.ts';

/** The names of the durables, and of the consumers in the inbox. */
export const createdConsumer = 'accounts-project-created';
export const deletedConsumer = 'accounts-project-deleted';

type Resources = Pick<AccountsResources, 'bus' | 'db'>;

/**
 * Makes the creator Owner of a new project. A project that is already deleted gets none. Two durables deliver creations
 * and deletions in any order, so a later incarnation also removes the access to an earlier one.
 */
export async function handleProjectCreated({ bus, db }: Resources, message: BusMessage): Promise<void> {
  const event = publishedEventSchema.parse(message.payload);
  const project = projectIncarnationSchema.parse(event.data);
  await db.transaction(async (trx) => {
    if (!(await firstTime(trx, createdConsumer, event.eventId))) return;
    await lockProjectAccess(trx, project.id);
    await beginIncarnation(trx, bus, project, originOf(event));
    if ((await lockProjectsForShare(trx, [project])).length > 0) return;
    await makeOwner(trx, bus, project.id, event);
  });
}

/** Removes all access to a deleted project, unless a later project with its id has done so. */
export async function handleProjectDeleted({ bus, db }: Resources, message: BusMessage): Promise<void> {
  const event = publishedEventSchema.parse(message.payload);
  const project = projectIncarnationSchema.parse(event.preData);
  await db.transaction(async (trx) => {
    if (!(await firstTime(trx, deletedConsumer, event.eventId))) return;
    await lockProjectAccess(trx, project.id);
    if (await markProjectDeleted(trx, project)) await removeAccess(trx, bus, project.id, originOf(event));
  });
}

/** Notes a later incarnation and removes the access to the earlier one. The caller has locked the access. */
export async function beginIncarnation(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  project: ProjectIncarnation,
  origin: EventOrigin,
): Promise<void> {
  if (await updateIncarnation(trx, project)) await removeAccess(trx, bus, project.id, origin);
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
    ...originOf(event),
  });
  hintAccessChanged(trx, bus, users);
}

/** The actor who changed the project also changed the access to it. */
function originOf({ createdBy, createdByUsername, createdByUserId, requestId, traceparent, eventId }: PublishedEvent) {
  const email = createdBy === createdByUsername ? undefined : createdBy;
  const actor = { kind: 'user' as const, id: createdByUserId ?? 0, username: createdByUsername, grants: [] };
  return { actor: email === undefined ? actor : { ...actor, email }, requestId: requestId ?? eventId, traceparent };
}
