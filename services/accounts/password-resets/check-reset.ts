import { isSameHash, readToken } from '@yardarm/shared/auth';
import type { Kysely } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { invalidReset } from './password-reset.ts';
import { findOpenReset, type OpenReset } from './password-resets.repo.ts';

/** The open reset of this token. Throws `invalid-token`. */
export async function checkReset(db: Kysely<AccountsTables>, token: string): Promise<OpenReset & { selector: string }> {
  const presented = readToken(token);
  const open = presented && (await findOpenReset(db, presented.selector));
  if (!open || !isSameHash(open.hash, presented.hash)) throw invalidReset();
  return { ...open, selector: presented.selector };
}
