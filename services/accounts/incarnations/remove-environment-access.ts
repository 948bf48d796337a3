import type { Bus } from '@yardarm/shared/bus';
import { accessChangedHint, tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvents, type EventOrigin, type Transaction } from '@yardarm/shared/db';
import { apiTokenEventData, apiTokenPlace } from '../api-tokens/api-token.ts';
import { lockApiTokensOfEnvironment, retireApiTokens } from '../api-tokens/api-tokens.repo.ts';
import type { AccountsTables } from '../db/schema.ts';
import { insertOrphanedTokens } from '../orphaned-tokens/orphaned-tokens.repo.ts';
import { roleEventData, roleOrderingKey } from '../roles/role.ts';
import { deletePermissionsOfEnvironment, lockRolesOfEnvironment } from '../roles/roles.repo.ts';

/**
 * Orphans the SDK tokens of an environment: they are deleted, as the events say, but stay known as tokens that read
 * nothing. Deletes the permissions that roles have there alone. The caller has locked the row of the environment.
 */
export async function removeEnvironmentAccess(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  environment: string,
  origin: EventOrigin,
): Promise<void> {
  const tokens = await lockApiTokensOfEnvironment(trx, environment);
  await insertOrphanedTokens(trx, tokens);
  await retireApiTokens(trx, tokens);
  const roles = await lockRolesOfEnvironment(trx, environment);
  await deletePermissionsOfEnvironment(trx, environment);
  appendEvents(trx, [
    ...tokens.map((token) => ({
      type: 'api-token-deleted' as const,
      preData: apiTokenEventData(token),
      ...apiTokenPlace(token),
      ...origin,
    })),
    ...roles.map(({ permissions, ...role }) => ({
      type: 'role-updated' as const,
      data: roleEventData(
        role,
        permissions.filter((each) => each.environment !== environment),
      ),
      preData: roleEventData(role, permissions),
      orderingKey: roleOrderingKey(role.id),
      ...origin,
    })),
  ]);
  trx.onCommit(() => {
    for (const { selector } of tokens) bus.hint(tokenChangedHint, { selector });
    if (roles.length > 0) bus.hint(accessChangedHint, { userId: null });
  });
}
