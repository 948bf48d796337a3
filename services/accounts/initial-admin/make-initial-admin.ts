import { systemActor } from '@yardarm/shared/contracts';
import { appendEvent, type Database, isUniqueViolation } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { newTraceparent } from '@yardarm/shared/telemetry';
import type { AccountsTables } from '../db/schema.ts';
import { hashPassword } from '../passwords/hash.ts';
import { adminRoleId } from '../roles/role.ts';
import { userEventData, userOrderingKey } from '../users/user.ts';
import { insertUser, usernameConstraint } from '../users/users.repo.ts';
import { hasPerson, lockOutNewUsers } from './initial-admin.repo.ts';

/** The first admin as the settings name them, and what to do with the password when it was generated. */
export interface InitialAdmin {
  username: string;
  password: string;
  /** Generated: it must be changed, and is told to the operator. */
  isGenerated: boolean;
  tell(username: string, password: string): void;
}

/**
 * Makes the first admin when there is no person yet. Every replica does so at every start, and the lock on the table lets one of them
 * find nobody. A generated password is told before the commit: told for nothing is told again, made untold would be lost.
 */
export async function makeInitialAdmin(
  { db, log }: { db: Database<AccountsTables>; log: Logger },
  { username, password, isGenerated, tell }: InitialAdmin,
  requestId: string,
): Promise<void> {
  if (await hasPerson(db.kysely)) return;
  const passwordHash = await hashPassword(password);
  try {
    await db.transaction(async (trx) => {
      await lockOutNewUsers(trx);
      if (await hasPerson(trx)) return;
      const admin = await insertUser(trx, {
        ...{ username, name: null, email: null, rootRole: adminRoleId },
        ...{ passwordHash, mustChangePassword: isGenerated },
      });
      appendEvent(trx, {
        type: 'user-created',
        actor: systemActor,
        data: userEventData(admin),
        orderingKey: userOrderingKey(admin.id),
        requestId,
        traceparent: newTraceparent(),
      });
      if (isGenerated) tell(username, password);
    });
  } catch (error) {
    if (!isUniqueViolation(error, usernameConstraint)) throw error;
    // Trying again would not help, and all but logins can go on.
    log.error(
      { username },
      'a service account has the username of the first admin, who was not made; set UNLEASH_DEFAULT_ADMIN_USERNAME to another and start again',
    );
  }
}
