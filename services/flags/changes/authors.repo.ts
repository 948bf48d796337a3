import type { Actor } from '@yardarm/shared/contracts';
import { sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/**
 * Notes who changed a flag, and answers the tags that its events carry. The flag's row is locked by the caller. The names that the
 * actor came with count until an event of the accounts tells them: any event is newer.
 */
export async function noteAuthor(
  trx: Transaction<FlagsTables>,
  featureName: string,
  actor: Actor,
): Promise<{ type: string; value: string }[]> {
  const { rows } = await sql<{ type: string; value: string }>`
    with names as (
      insert into users (id, name, username, email, told_at)
      values (${actor.id}, ${actor.name ?? null}, ${actor.username}, ${actor.email ?? null}, '-infinity')
      on conflict on constraint users_pkey do nothing
    ), collaborator as (
      insert into feature_collaborators (feature_name, user_id) values (${featureName}, ${actor.id})
      on conflict on constraint feature_collaborators_pkey do update set changed_at = excluded.changed_at
    )
    select type, value from feature_tags where feature_name = ${featureName} order by type, value`.execute(trx);
  return rows;
}
