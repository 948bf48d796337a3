import type { Bus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/accounts';
import type { Database } from '@yardarm/shared/db';
import type { AccountsTables } from './db/schema.ts';
import { createServiceAccount } from './service-accounts/create-service-account.ts';
import { listServiceAccounts } from './service-accounts/service-accounts.handlers.ts';
import { createServiceAccountToken } from './tokens/create-service-account-token.ts';
import { deleteServiceAccountToken } from './tokens/delete-service-account-token.ts';
import { listServiceAccountTokens, resolveToken } from './tokens/tokens.handlers.ts';

/** Every request that accounts answers. */
export function serveAccounts(bus: Bus, db: Database<AccountsTables>): void {
  bus.serve(contracts.resolveToken, (input) => resolveToken(db, input));
  bus.serve(contracts.createServiceAccount, (input, context) => createServiceAccount(db, input, context));
  bus.serveMany(contracts.listServiceAccounts, () => listServiceAccounts(db));
  bus.serve(contracts.createServiceAccountToken, (input, context) => createServiceAccountToken(db, input, context));
  bus.serveMany(contracts.listServiceAccountTokens, (input) => listServiceAccountTokens(db, input));
  bus.serve(contracts.deleteServiceAccountToken, async (input, context) => {
    await deleteServiceAccountToken(db, bus, input, context);
    return {};
  });
}
