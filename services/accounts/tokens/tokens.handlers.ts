import { inPieces } from '@yardarm/shared/bus';
import type { PersonalToken } from '@yardarm/shared/contracts/accounts';
import type { Database } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { noServiceAccount } from '../service-accounts/service-account.ts';
import { existsServiceAccount } from '../service-accounts/service-accounts.repo.ts';
import { resolve, toPersonalToken } from './token.ts';
import { findPersonalTokens, findTokenBySelector } from './tokens.repo.ts';

/** The token with this selector and what it may do. */
export async function resolveToken(db: Database<AccountsTables>, { selector }: { selector: string }) {
  const stored = await findTokenBySelector(db.kysely, selector);
  return { token: stored && resolve(stored) };
}

/** The tokens of one service account, oldest first. */
export async function* listServiceAccountTokens(
  db: Database<AccountsTables>,
  { serviceAccountId }: { serviceAccountId: number },
): AsyncGenerator<{ pats: PersonalToken[] }> {
  if (!(await existsServiceAccount(db.kysely, serviceAccountId))) throw noServiceAccount(serviceAccountId);
  const tokens = await findPersonalTokens(db.kysely, serviceAccountId);
  for (const pats of inPieces(tokens.map((token) => toPersonalToken(token)))) yield { pats };
}
