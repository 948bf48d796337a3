import type { Actor } from '@yardarm/shared/contracts';
import type { Transaction } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { AccountsTables } from '../db/schema.ts';
import { lockUser } from './users.repo.ts';

/** The id of the caller. Throws for an admin token, which has nothing of its own; `what` is what it would have. */
export function requireAccount(actor: Actor | null, what: string): number {
  if (!actor || actor.kind === 'admin-token') throw noAccount(what);
  return actor.id;
}

/** As `requireAccount`, also for a user who was deleted. Other requests wait until the transaction ends. */
export async function lockCaller(trx: Transaction<AccountsTables>, actor: Actor | null, what: string): Promise<number> {
  const id = requireAccount(actor, what);
  if (!(await lockUser(trx, id))) throw noAccount(what);
  return id;
}

function noAccount(what: string): AppError {
  return new AppError('forbidden', `Only users and service accounts have ${what}. An admin token is neither.`);
}
