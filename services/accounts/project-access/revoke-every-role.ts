import { appendEvents, type EventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { deleteRolesInProjects } from './project-access.repo.ts';
import { type HolderKind, projectAccessOrderingKey, rolesEventData } from './project-access.ts';

/** Revokes all project roles of a deleted user or group, with an event per project. The caller called `lockAccess`. */
export async function revokeEveryRole(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  holderId: number,
  origin: EventOrigin,
): Promise<void> {
  const revoked = await deleteRolesInProjects(trx, kind, holderId);
  appendEvents(
    trx,
    revoked.map(({ project, roles }) => ({
      type: `project-access-${kind}-roles-deleted` as const,
      project,
      preData: rolesEventData(kind, holderId, roles),
      orderingKey: projectAccessOrderingKey(project),
      ...origin,
    })),
  );
}
