import type { RequestContext } from '@yardarm/shared/bus';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import type { Database } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { AccountsResources } from '../resources.ts';
import { serviceAccountNotFound } from '../service-accounts/service-account.ts';
import { hasServiceAccount } from '../service-accounts/service-accounts.repo.ts';
import { userNotFound } from '../users/user.ts';
import { findUser } from '../users/users.repo.ts';
import { requirePerson, toPersonalToken } from './personal-token.ts';
import { findPersonalTokens } from './personal-tokens.repo.ts';

type Tokens = Promise<{ pats: PersonalToken[] }>;

/** The personal access tokens of the caller, oldest first. */
export async function listPersonalTokens({ db }: AccountsResources, _: object, { actor }: RequestContext): Tokens {
  return findTokens(db, requirePerson(actor));
}

/** The personal access tokens of one user, oldest first. */
export async function listUserTokens({ db }: AccountsResources, { userId }: { userId: number }): Tokens {
  if (!(await findUser(db.kysely, userId, 'user'))) throw userNotFound(userId);
  return findTokens(db, userId);
}

/** The tokens of one service account, oldest first. */
export async function listServiceAccountTokens(
  { db }: AccountsResources,
  { serviceAccountId }: { serviceAccountId: number },
): Tokens {
  if (!(await hasServiceAccount(db.kysely, serviceAccountId))) throw serviceAccountNotFound(serviceAccountId);
  return findTokens(db, serviceAccountId);
}

async function findTokens(db: Database<AccountsTables>, userId: number): Tokens {
  const tokens = await findPersonalTokens(db.kysely, userId);
  return { pats: tokens.map((token) => toPersonalToken(token)) };
}
