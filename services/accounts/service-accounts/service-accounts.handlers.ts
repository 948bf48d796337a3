import type { Actor } from '@yardarm/shared/contracts';
import type { Role, ServiceAccount } from '@yardarm/shared/contracts/accounts';
import { toPersonalToken } from '../personal-tokens/personal-token.ts';
import { findPersonalTokensOfServiceAccounts } from '../personal-tokens/personal-tokens.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { toRole } from '../roles/role.ts';
import { findRootRoles } from '../roles/roles.repo.ts';
import { actorOf } from '../tokens/token.ts';
import { toServiceAccount } from './service-account.ts';
import { findServiceAccounts, findServiceAccountWithRoles } from './service-accounts.repo.ts';

/** All service accounts with their tokens and all root roles, from one snapshot. */
export async function listServiceAccounts({
  db,
}: AccountsResources): Promise<{ serviceAccounts: ServiceAccount[]; rootRoles: Role[] }> {
  const { accounts, tokens, rootRoles } = await db.transaction(
    async (trx) => ({
      accounts: await findServiceAccounts(trx),
      tokens: Map.groupBy(await findPersonalTokensOfServiceAccounts(trx), (token) => token.userId),
      rootRoles: await findRootRoles(trx),
    }),
    { isolation: 'repeatable read', readOnly: true },
  );
  const serviceAccounts = accounts.map((account) =>
    toServiceAccount(
      account,
      (tokens.get(account.id) ?? []).map((token) => toPersonalToken(token)),
    ),
  );
  return { serviceAccounts, rootRoles: rootRoles.map(toRole) };
}

/** The service account with what it may do now. It needs no token. */
export async function resolveActor(
  { db }: AccountsResources,
  { serviceAccountId }: { serviceAccountId: number },
): Promise<{ actor: Actor | null }> {
  const found = await findServiceAccountWithRoles(db.kysely, serviceAccountId);
  return { actor: found && actorOf({ ...found, kind: 'service-account', email: null }) };
}
