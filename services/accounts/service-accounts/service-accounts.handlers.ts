import type { ServiceAccount } from '@yardarm/shared/contracts/accounts';
import type { Database } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { findRootRoles } from '../roles/roles.repo.ts';
import { toServiceAccountToken } from '../tokens/token.ts';
import { findPersonalTokensOfServiceAccounts } from '../tokens/tokens.repo.ts';
import { toServiceAccount } from './service-account.ts';
import { findServiceAccounts } from './service-accounts.repo.ts';

/** Every service account with its tokens, and the roles to choose from, as of one moment. */
export function listServiceAccounts(db: Database<AccountsTables>) {
  return db.transaction(
    async (trx) => {
      const accounts = await findServiceAccounts(trx);
      const tokens = Map.groupBy(await findPersonalTokensOfServiceAccounts(trx), (token) => token.userId);
      const rootRoles = await findRootRoles(trx);
      return {
        serviceAccounts: accounts.map(
          (account): ServiceAccount =>
            toServiceAccount(
              account,
              (tokens.get(account.id) ?? []).map((token) => toServiceAccountToken(token)),
            ),
        ),
        rootRoles: rootRoles.map((role) => ({ ...role, project: null })),
      };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}
