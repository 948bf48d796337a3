import type { Bus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { type Database, serveOutbox } from '@yardarm/shared/db';
import { listApiTokens, listProjectApiTokens } from './api-tokens/api-tokens.handlers.ts';
import { createApiToken, createProjectApiToken } from './api-tokens/create-api-token.ts';
import { deleteApiToken, deleteProjectApiToken } from './api-tokens/delete-api-token.ts';
import { updateApiToken } from './api-tokens/update-api-token.ts';
import type { AccountsConfig } from './config.ts';
import type { AccountsTables } from './db/schema.ts';
import { createGroup } from './groups/create-group.ts';
import { deleteGroup } from './groups/delete-group.ts';
import { getGroup, listGroups } from './groups/groups.handlers.ts';
import { updateGroup } from './groups/update-group.ts';
import { checkPasswordReset } from './password-resets/password-resets.handlers.ts';
import { requestReset } from './password-resets/request-reset.ts';
import { useReset } from './password-resets/use-reset.ts';
import { changeOwnPassword } from './passwords/change-own-password.ts';
import { requireStrongPassword } from './passwords/password.ts';
import { setPassword } from './passwords/set-password.ts';
import { createPersonalToken } from './personal-tokens/create-personal-token.ts';
import { createServiceAccountToken } from './personal-tokens/create-service-account-token.ts';
import { deletePersonalToken } from './personal-tokens/delete-personal-token.ts';
import { deleteServiceAccountToken } from './personal-tokens/delete-service-account-token.ts';
import { listPersonalTokens, listServiceAccountTokens } from './personal-tokens/personal-tokens.handlers.ts';
import { giveAccess } from './project-access/give-access.ts';
import { addProjectRole, getProjectAccess } from './project-access/project-access.handlers.ts';
import { replaceAccess } from './project-access/replace-access.ts';
import { setProjectRoles } from './project-access/set-project-roles.ts';
import { createAttempts } from './rate-limits/count-attempts.ts';
import { createRole } from './roles/create-role.ts';
import { deleteRole } from './roles/delete-role.ts';
import { getAccessOverview, getPermissionOverview, getRole, listRoles, validateRole } from './roles/roles.handlers.ts';
import { updateRole } from './roles/update-role.ts';
import { createServiceAccount } from './service-accounts/create-service-account.ts';
import { deleteServiceAccount } from './service-accounts/delete-service-account.ts';
import { listServiceAccounts } from './service-accounts/service-accounts.handlers.ts';
import { updateServiceAccount } from './service-accounts/update-service-account.ts';
import { beginSession } from './sessions/begin-session.ts';
import { endSession } from './sessions/end-session.ts';
import { reportSeenTokens, resolveToken } from './tokens/tokens.handlers.ts';
import { createUser } from './users/create-user.ts';
import { deleteUser } from './users/delete-user.ts';
import { updateUser } from './users/update-user.ts';
import * as users from './users/users.handlers.ts';

/** What the use cases work with. */
export interface AccountsParts {
  bus: Bus;
  db: Database<AccountsTables>;
  config: AccountsConfig;
  /** Null once the tokens that the settings give are made. */
  initialTokensFault: () => string | null;
}

/** Every request that accounts answers. */
export function serveAccounts({ bus, db, config, initialTokensFault }: AccountsParts): void {
  const apiTokens = { db, bus, limit: config.UNLEASH_API_TOKENS_LIMIT };
  bus.serve(contracts.resolveToken, (input) => resolveToken({ db, initialTokensFault }, input));
  bus.serve(contracts.reportSeenTokens, (input) => reportSeenTokens(db, input));
  bus.serveMany(contracts.listApiTokens, (input, context) => listApiTokens(db, input, context));
  bus.serve(contracts.createApiToken, (input, context) => createApiToken(apiTokens, input, context));
  bus.serve(contracts.updateApiToken, (input, context) => updateApiToken({ db, bus }, input, context));
  bus.serve(contracts.deleteApiToken, (input, context) => deleteApiToken({ db, bus }, input, context));
  bus.serveMany(contracts.listProjectApiTokens, (input, context) => listProjectApiTokens({ db, bus }, input, context));
  bus.serve(contracts.createProjectApiToken, (input, context) => createProjectApiToken(apiTokens, input, context));
  bus.serve(contracts.deleteProjectApiToken, (input, context) => deleteProjectApiToken({ db, bus }, input, context));
  bus.serveMany(contracts.listPersonalTokens, (_input, context) => listPersonalTokens(db, context));
  bus.serve(contracts.createPersonalToken, (input, context) =>
    createPersonalToken({ db, limit: config.PAT_LIMIT }, input, context),
  );
  bus.serve(contracts.deletePersonalToken, (input, context) => deletePersonalToken({ db, bus }, input, context));
  bus.serve(contracts.createServiceAccount, (input, context) => createServiceAccount(db, input, context));
  bus.serveMany(contracts.listServiceAccounts, () => listServiceAccounts(db));
  bus.serve(contracts.updateServiceAccount, (input, context) => updateServiceAccount(db, bus, input, context));
  bus.serve(contracts.deleteServiceAccount, (input, context) => deleteServiceAccount(db, bus, input, context));
  bus.serve(contracts.createServiceAccountToken, (input, context) => createServiceAccountToken(db, input, context));
  bus.serveMany(contracts.listServiceAccountTokens, (input) => listServiceAccountTokens(db, input));
  bus.serve(contracts.deleteServiceAccountToken, (input, context) =>
    deleteServiceAccountToken({ db, bus }, input, context),
  );
  bus.serveMany(contracts.listRoles, () => listRoles(db));
  bus.serve(contracts.getRole, (input) => getRole(db, input));
  bus.serve(contracts.createRole, (input, context) => createRole(db, bus, input, context));
  bus.serve(contracts.validateRole, (input, context) => validateRole(db, bus, input, context));
  bus.serve(contracts.updateRole, (input, context) => updateRole(db, bus, input, context));
  bus.serve(contracts.deleteRole, (input, context) => deleteRole(db, input, context));
  bus.serve(contracts.getPermissionOverview, (input) => getPermissionOverview(db, input));
  bus.serveMany(contracts.getAccessOverview, () => getAccessOverview(db));
  bus.serveMany(contracts.getProjectAccess, (input, context) => getProjectAccess(db, bus, input, context));
  bus.serve(contracts.addProjectAccess, (input, context) => giveAccess(db, bus, input, context));
  bus.serve(contracts.setProjectAccess, (input, context) => replaceAccess(db, bus, input, context));
  bus.serve(contracts.addProjectRole, (input, context) => addProjectRole(db, bus, input, context));
  bus.serve(contracts.setUserProjectRoles, ({ userId, ...input }, context) =>
    setProjectRoles(db, bus, 'user', { ...input, holderId: userId }, context),
  );
  bus.serve(contracts.setGroupProjectRoles, ({ groupId, ...input }, context) =>
    setProjectRoles(db, bus, 'group', { ...input, holderId: groupId }, context),
  );
  bus.serveMany(contracts.listGroups, () => listGroups(db));
  bus.serveMany(contracts.getGroup, (input) => getGroup(db, input));
  bus.serve(contracts.createGroup, (input, context) => createGroup(db, bus, input, context));
  bus.serve(contracts.updateGroup, (input, context) => updateGroup(db, bus, input, context));
  bus.serve(contracts.deleteGroup, (input, context) => deleteGroup(db, bus, input, context));
  bus.serveMany(contracts.listUsers, () => users.listUsers(db));
  bus.serve(contracts.searchUsers, (input) => users.searchUsers(db, input));
  bus.serveMany(contracts.listAssignable, () => users.listAssignable(db));
  bus.serve(contracts.getUser, (input) => users.getUser(db, input));
  bus.serve(contracts.countAdmins, () => users.countAdmins(db));
  bus.serve(contracts.createUser, (input, context) => createUser(db, input, context));
  bus.serve(contracts.updateUser, (input, context) => updateUser(db, bus, input, context));
  bus.serve(contracts.deleteUser, (input, context) => deleteUser(db, bus, input, context));
  bus.serve(contracts.getMe, (_input, context) => users.getMe(db, context));
  bus.serveMany(contracts.getProfile, (_input, context) => users.getProfile(db, context));
  bus.serveMany(contracts.listOwnRoles, (input, context) => users.listOwnRoles(db, input, context));

  const attempts = createAttempts(db.kysely, config);
  bus.serve(contracts.login, (input) => beginSession(db, attempts, config.SESSION_TTL_HOURS, input));
  bus.serve(contracts.logout, (input, context) => endSession(db, bus, input, context));
  bus.serve(contracts.validatePassword, async ({ password }) => requireStrongPassword(password));
  bus.serve(contracts.setPassword, (input) => setPassword(db, bus, input));
  bus.serve(contracts.changeOwnPassword, (input, context) => changeOwnPassword(db, bus, attempts, input, context));
  bus.serve(contracts.requestPasswordReset, (input, context) => requestReset(db, input, context));
  bus.serve(contracts.checkPasswordReset, (input) => checkPasswordReset(db, attempts, input));
  bus.serve(contracts.resetPassword, (input) => useReset(db, bus, attempts, input));
  serveOutbox(bus, db);
}
