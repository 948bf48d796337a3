import type { Bus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/accounts';
import type { Database } from '@yardarm/shared/db';
import type { AccountsTables } from './db/schema.ts';
import { createRole } from './roles/create-role.ts';
import { deleteRole } from './roles/delete-role.ts';
import { getAccessOverview, getPermissionOverview, getRole, listRoles, validateRole } from './roles/roles.handlers.ts';
import { updateRole } from './roles/update-role.ts';
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
  bus.serveMany(contracts.listRoles, () => listRoles(db));
  bus.serve(contracts.getRole, (input) => getRole(db, input));
  bus.serve(contracts.createRole, (input, context) => createRole(db, bus, input, context));
  bus.serve(contracts.validateRole, async (input) => {
    await validateRole(db, input);
    return {};
  });
  bus.serve(contracts.updateRole, (input, context) => updateRole(db, bus, input, context));
  bus.serve(contracts.deleteRole, async (input, context) => {
    await deleteRole(db, input, context);
    return {};
  });
  bus.serve(contracts.getPermissionOverview, (input) => getPermissionOverview(db, input));
  bus.serveMany(contracts.getAccessOverview, () => getAccessOverview(db));
}
