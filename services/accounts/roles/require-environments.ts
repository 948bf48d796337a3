import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { RoleDefinition } from '@yardarm/shared/contracts/accounts';
import { findMissingPlaces } from '@yardarm/shared/contracts/flags';
import { refuseEnvironments } from './role.ts';

/** Throws `bad-data` naming the first environment of the definition that flags does not know. Asked before a transaction, never in one. */
export async function requireEnvironments(
  bus: Bus,
  asked: RoleDefinition['permissions'],
  context: RequestContext,
): Promise<void> {
  const environments = [...new Set(asked.flatMap(({ environment }) => environment ?? []))];
  if (environments.length === 0) return;
  const missing = await bus.request(findMissingPlaces, { projects: [], environments }, context);
  refuseEnvironments(missing.environments, asked);
}
