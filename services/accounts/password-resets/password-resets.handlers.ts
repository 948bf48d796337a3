import type { checkPasswordReset as contract } from '@yardarm/shared/contracts/accounts';
import type { Database } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsTables } from '../db/schema.ts';
import type { Attempts } from '../rate-limits/count-attempts.ts';
import { checkReset } from './check-reset.ts';

/** Whom a one-time token lets choose a password. */
export async function checkPasswordReset(
  db: Database<AccountsTables>,
  attempts: Attempts,
  { token, address }: { token: string; address: string },
): Promise<z.input<typeof contract.output>> {
  await attempts.countPasswordRequest(address);
  const {
    user: { username, ...user },
    createdBy,
    role,
  } = await checkReset(db.kysely, token);
  return { ...user, ...(username !== null && { username }), createdBy, role };
}
