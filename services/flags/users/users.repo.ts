import { type Kysely, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** Names of somebody, as of a moment. */
export interface UserVersion {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
  toldAt: Date;
}

/** Keeps the names unless newer ones are known: events of one account may come in another order than they happened. */
export async function keepNames(db: Kysely<FlagsTables>, user: UserVersion): Promise<void> {
  await sql`
    insert into users (id, name, username, email, told_at)
    values (${user.id}, ${user.name}, ${user.username}, ${user.email}, ${user.toldAt})
    on conflict on constraint users_pkey do update
    set name = excluded.name, username = excluded.username, email = excluded.email, told_at = excluded.told_at
    where users.told_at < excluded.told_at`.execute(db);
}
