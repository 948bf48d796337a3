import type { Actor } from '@yardarm/shared/contracts';
import type { Feature } from '@yardarm/shared/contracts/flags';
import { prepared, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/**
 * Records who changed which flag, and raises the versions of the flags that have no new one yet. Returns the tags of
 * each flag that has any, because its events carry them. The caller has locked the rows of the flags. The names of an
 * actor are replaced by the first event of accounts: every event is newer.
 */
export async function touchFeatures(
  trx: Transaction<FlagsTables>,
  authors: readonly { featureName: string; actor: Actor; hasNewVersion: boolean }[],
): Promise<Map<string, Feature['tags']>> {
  const names = authors.map(({ featureName }) => featureName);
  const unraised = authors.flatMap(({ featureName, hasNewVersion }) => (hasNewVersion ? [] : [featureName]));
  const actors = [...new Map(authors.map(({ actor }) => [actor.id, actor])).values()];
  // Every transaction inserts in this order, so that two of them with the same new names do not deadlock.
  actors.sort((one, other) => one.id - other.id);
  const { rows } = await prepared('record-authors')<{ feature_name: string; tags: Feature['tags'] }>`
    with names as (
      insert into users (id, name, username, email, told_at)
      select id, name, username, email, '-infinity'
      from unnest(
        ${actors.map(({ id }) => id)}::bigint[], ${actors.map(({ name }) => name ?? null)}::text[],
        ${actors.map(({ username }) => username)}::text[], ${actors.map(({ email }) => email ?? null)}::text[]
      ) as actor (id, name, username, email)
      on conflict on constraint users_pkey do nothing
    ), collaborators as (
      insert into feature_collaborators (feature_name, user_id)
      select distinct feature_name, user_id
      from unnest(
        ${names}::text[], ${authors.map(({ actor }) => actor.id)}::bigint[]
      ) as author (feature_name, user_id)
      on conflict on constraint feature_collaborators_pkey do update set changed_at = excluded.changed_at
    ), versions as (
      update features set version = version + 1
      where name = any(${unraised}::text[])
    )
    select feature_name, json_agg(json_build_object('type', type, 'value', value) order by type, value) as tags
    from feature_tags where feature_name = any(${names}::text[])
    group by feature_name`.execute(trx);
  return new Map(rows.map(({ feature_name, tags }) => [feature_name, tags]));
}
