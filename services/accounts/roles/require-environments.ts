import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { RoleDefinition } from '@yardarm/shared/contracts/accounts';
import { findMissingProjectsAndEnvironments } from '@yardarm/shared/contracts/flags';
import { refuseEnvironments } from './role.ts';

/** Throws `bad-data` unless flags knows all environments. Call it before a transaction, never within one. */
export async function requireEnvironments(
  bus: Bus,
  requested: RoleDefinition['permissions'],
  context: RequestContext,
): Promise<void> {
  const environments = [...new Set(requested.flatMap(({ environment }) => environment ?? []))];
  if (environments.length === 0) return;
  const missing = await bus.request(findMissingProjectsAndEnvironments, { projects: [], environments }, context);
  refuseEnvironments(missing.environments, requested);
}
