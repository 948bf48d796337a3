import { type Bus, type RequestContext, requestBeforeChange } from '@yardarm/shared/bus';
import type { RoleDefinition } from '@yardarm/shared/contracts/accounts';
import { findMissingProjectsAndEnvironments, type Incarnation } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { lockIncarnations } from '../incarnations/incarnations.repo.ts';
import { refuseEnvironments } from './role.ts';

type Requested = RoleDefinition['permissions'];

/** Throws `bad-data` unless flags knows all environments. Call it before a transaction, never within one. */
export async function requireEnvironments(
  bus: Bus,
  requested: Requested,
  context: RequestContext,
): Promise<Incarnation[]> {
  const environments = [...new Set(requested.flatMap(({ environment }) => environment ?? []))];
  if (environments.length === 0) return [];
  const missing = await requestBeforeChange(context, (inner) =>
    bus.request(findMissingProjectsAndEnvironments, { projects: [], environments }, inner),
  );
  refuseEnvironments(missing.environments, requested);
  return missing.found;
}

/** Keeps environments from being deleted until the commit. Throws `bad-data` for one that was deleted before. */
export async function lockEnvironments(
  trx: Transaction<AccountsTables>,
  found: readonly Incarnation[],
  requested: Requested,
): Promise<void> {
  if (found.length === 0) return;
  refuseEnvironments((await lockIncarnations(trx, found)).environments, requested);
}
