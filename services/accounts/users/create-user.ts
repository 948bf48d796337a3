import type { RequestContext } from '@yardarm/shared/bus';
import type { createUser as contract, User } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin, isUniqueViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import { beginReset } from '../password-resets/begin-reset.ts';
import { hashPassword } from '../passwords/hash.ts';
import { requireStrongPassword } from '../passwords/password.ts';
import type { AccountsResources } from '../resources.ts';
import { lockRootRolesForShare } from '../roles/roles.repo.ts';
import { namelessUser, nameTaken, rootRoleOf, toUser, userEventData, userOrderingKey } from './user.ts';
import { emailConstraint, insertUser, usernameConstraint } from './users.repo.ts';

/** Without a password the person gets a one-time token. Unique indexes decide between creations of the same name. */
export async function createUser(
  { db }: AccountsResources,
  { username, email, name, password, rootRole }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<{ user: User; inviteToken: string | null }> {
  if (username === undefined && email === undefined) throw namelessUser();
  if (password !== undefined) requireStrongPassword(password, [username, email]);
  // Hashed before the transaction, which would hold a connection and locks meanwhile.
  const passwordHash = password === undefined ? null : await hashPassword(password);
  const origin = eventOrigin(context);
  try {
    return await db.transaction(async (trx) => {
      const user = await insertUser(trx, {
        username: username ?? null,
        email: email ?? null,
        name: name ?? null,
        passwordHash,
        rootRole: rootRoleOf(rootRole, await lockRootRolesForShare(trx)),
        mustChangePassword: false,
      });
      appendEvent(trx, {
        type: 'user-created',
        data: userEventData(user),
        orderingKey: userOrderingKey(user.id),
        ...origin,
      });
      const invite = passwordHash === null ? await beginReset(trx, user.id, origin.actor.username, 'invite') : null;
      return { user: toUser(user), inviteToken: invite?.token ?? null };
    });
  } catch (error) {
    if (isUniqueViolation(error, usernameConstraint)) throw nameTaken('username', username);
    if (isUniqueViolation(error, emailConstraint)) throw nameTaken('email', email);
    throw error;
  }
}
