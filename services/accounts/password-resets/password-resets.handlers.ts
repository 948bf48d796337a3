import type { checkPasswordReset as contract } from '@yardarm/shared/contracts/accounts';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { checkReset } from './check-reset.ts';

/** The user who may choose a password with a one-time token. */
export async function checkPasswordReset(
  { db, attempts }: AccountsResources,
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
