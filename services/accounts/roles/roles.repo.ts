import type { Kysely } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import type { StoredRole } from './role.ts';

/** The roles that a user or a service account can have as root role. */
export function findRootRoles(db: Kysely<AccountsTables>): Promise<StoredRole[]> {
  return db
    .selectFrom('roles')
    .select(['id', 'type', 'name', 'description'])
    .where('type', 'in', ['root', 'root-custom'])
    .orderBy('id')
    .execute();
}
