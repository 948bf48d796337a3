import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { Incarnation } from '@yardarm/shared/contracts/flags';
import { type EventOrigin, eventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { lockProjectAccess } from '../project-access/project-access.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { markDeleted } from './incarnations.repo.ts';
import { removeEnvironmentAccess } from './remove-environment-access.ts';
import { removeProjectAccess } from './remove-project-access.ts';

/**
 * Flags asks for it before it makes a project or environment under the name of a deleted one, because the event of the
 * deletion may still be on its way. A token, role or grant that is written at the same time ends with the deletion.
 */
export async function removeAccessOfDeleted(
  { bus, db }: Pick<AccountsResources, 'bus' | 'db'>,
  incarnation: Incarnation,
  context: RequestContext,
): Promise<void> {
  await db.transaction((trx) => removeAccess(trx, bus, incarnation, eventOrigin(context)));
}

/** Removes all access to a deleted incarnation, unless that is done or a later one exists. */
export async function removeAccess(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  incarnation: Incarnation,
  origin: EventOrigin,
): Promise<void> {
  const { kind, id } = incarnation;
  if (kind === 'project') await lockProjectAccess(trx, id);
  if (!(await markDeleted(trx, incarnation))) return;
  if (kind === 'project') await removeProjectAccess(trx, bus, id, origin);
  else await removeEnvironmentAccess(trx, bus, id, origin);
}
