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

export interface InitialAdmin {
  username: string;
  password: string;
  /** A generated password is reported to the operator and must be changed. */
  isGenerated: boolean;
  report(username: string, password: string): void;
}

/**
 * Creates the first admin when there is no person yet. Every replica tries at every start; a table lock lets one
 * succeed. A generated password is reported before the commit: a report without commit is repeated at the retry, a
 * commit without report would lose the password.
 */
export async function makeInitialAdmin(
  { db, log }: { db: Database<AccountsTables>; log: Logger },
  { username, password, isGenerated, report }: InitialAdmin,
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
      if (isGenerated) report(username, password);
    });
  } catch (error) {
    if (!isUniqueViolation(error, usernameConstraint)) throw error;
    // A retry would not help, and everything except logins works without an admin.
    log.error(
      { username },
      'the first admin was not created: a service account has its username; set UNLEASH_DEFAULT_ADMIN_USERNAME to another name and restart',
    );
  }
}
