import { requestBeforeChange, type ServedContext } from '@yardarm/shared/bus';
import { removeAccessOfDeleted } from '@yardarm/shared/contracts/accounts';
import type { Incarnation } from '@yardarm/shared/contracts/flags';
import type { FlagsResources } from '../../resources.ts';
import { deleteDeletedIncarnation, findDeletedIncarnation } from './incarnations.repo.ts';

type Name = Pick<Incarnation, 'kind' | 'id'>;

/**
 * Removes the access to a deleted project or environment, before another one is made under its name. Without it, roles
 * and tokens would be valid for the new one until accounts has received the event of the deletion. Throws `unavailable`
 * while accounts does not answer. Call it before a transaction, never within one.
 */
export async function freeName({ db, bus }: FlagsResources, name: Name, context: ServedContext): Promise<void> {
  const deleted = await findDeletedIncarnation(db.kysely, name);
  if (deleted === null) return;
  await requestBeforeChange(context, (inner) => bus.request(removeAccessOfDeleted, deleted, inner));
  await deleteDeletedIncarnation(db.kysely, deleted);
}
