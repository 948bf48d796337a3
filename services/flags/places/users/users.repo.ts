import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';

export interface UserVersion {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
  changedAt: Date;
}

/** Stores the names unless newer ones are stored. The events of an account may arrive in another order. */
export async function upsertUser(db: Kysely<FlagsTables>, user: UserVersion): Promise<void> {
  await sql`
    insert into users (id, name, username, email, told_at)
    values (${user.id}, ${user.name}, ${user.username}, ${user.email}, ${user.changedAt})
    on conflict on constraint users_pkey do update
    set name = excluded.name, username = excluded.username, email = excluded.email, told_at = excluded.told_at
    where users.told_at < excluded.told_at`.execute(db);
}

/** Deletes the favorite flags and projects of a user. */
export async function deleteFavorites(trx: Transaction<FlagsTables>, userId: number): Promise<void> {
  await trx.deleteFrom('feature_favorites').where('user_id', '=', userId).execute();
  await trx.deleteFrom('project_favorites').where('user_id', '=', userId).execute();
}
