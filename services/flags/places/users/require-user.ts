import type { ServedContext } from '@yardarm/shared/bus';
import { adminTokenUserId } from '@yardarm/shared/contracts';
import { AppError } from '@yardarm/shared/errors';
import { actorOf } from '../../changes/record-change.ts';

/** The id of the user or service account that calls. All admin tokens share one id, so nothing can belong to one. */
export function requireUser(context: Pick<ServedContext, 'actor'>): number {
  const { id } = actorOf(context);
  if (id === adminTokenUserId) throw new AppError('no-access', 'An admin token is no user, so it has no favorites.');
  return id;
}
