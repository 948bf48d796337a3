import { hashPassword } from '../passwords/hash.ts';
import type { AccountsRig } from './accounts-rig.ts';

export const goodPassword = 'Str0ng!passw0rd';

/** Inserts a person, by default with `goodPassword`, and returns their id. */
export async function insertPerson(
  rig: AccountsRig,
  person: { username: string | null; email?: string | null; rootRole?: number; password?: string | null },
): Promise<number> {
  const { username, email = null, rootRole = 3, password = goodPassword } = person;
  const hash = password === null ? null : await hashPassword(password);
  const [row] = await rig.rows<{ id: number }>(
    `insert into accounts.users (kind, username, email, root_role, password_hash)
      values ('user', $1, $2, $3, $4) returning id`,
    [username, email, rootRole, hash],
  );
  return (row as { id: number }).id;
}
