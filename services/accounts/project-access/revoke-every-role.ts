import { appendEvents, type EventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { revokeEveryRole as takeRows } from './project-access.repo.ts';
import { type HolderKind, projectAccessOrderingKey, rolesEventData } from './project-access.ts';

/** Takes every role in projects from a user or group that is being deleted, with an event for each project; the caller has the lock of holdings. */
export async function revokeEveryRole(
  trx: Transaction<AccountsTables>,
  kind: HolderKind,
  holderId: number,
  origin: EventOrigin,
): Promise<void> {
  const taken = await takeRows(trx, kind, holderId);
  appendEvents(
    trx,
    taken.map(({ project, roles }) => ({
      type: `project-access-${kind}-roles-deleted` as const,
      project,
      preData: rolesEventData(kind, holderId, roles),
      orderingKey: projectAccessOrderingKey(project),
      ...origin,
    })),
  );
}
