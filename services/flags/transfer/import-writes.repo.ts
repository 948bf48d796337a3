import { piecesOf } from '@yardarm/shared/bus';
import type { Strategy, Variant } from '@yardarm/shared/contracts/flags';
import { sql, type Transaction } from '@yardarm/shared/db';
import { toColumns } from '../db/rows.ts';
import type { FlagsTables } from '../db/schema.ts';
import type { Dependency } from '../features/dependencies/dependency.ts';
import type { StoredFeature } from '../features/feature.ts';
import { copiedColumns } from '../features/features.repo.ts';
import type { StoredLink } from '../features/links/link.ts';
import type { FeatureTag } from '../features/tags/feature-tags.repo.ts';
import { insertStrategies } from '../targeting/strategies/whole-strategies.repo.ts';

type Trx = Transaction<FlagsTables>;

// Each function writes for any number of flags in few statements. The caller has locked the flags' rows.

/** Inserts flags with their first stage, off in every environment. Flags whose names are taken are not returned. */
export async function insertFeatures(trx: Trx, features: readonly StoredFeature[]): Promise<string[]> {
  const columns = ['project', 'created_at', 'created_by_user_id', ...Object.values(copiedColumns)];
  const inserted = sql.join(columns.map((column) => sql.ref(column)));
  const names: string[] = [];
  for (const rows of piecesOf(inOrder(features).map(toColumns))) {
    const result = await sql<{ name: string }>`
    with inserted as (
      insert into features (name, ${inserted})
      select name, ${inserted}
      from json_populate_recordset(null::features, ${JSON.stringify(rows)}::json)
      order by name collate "C"
      on conflict do nothing
      returning name, project
    ), environments as (
      insert into feature_environments (feature_name, environment, project)
      select name, environment, project from inserted join project_environments using (project)
    ), stage as (
      insert into feature_lifecycle (feature_name, stage) select name, 'initial' from inserted
    )
    select name from inserted`.execute(trx);
    names.push(...result.rows.map(({ name }) => name));
  }
  return names;
}

/** As all transactions insert them, so that no two deadlock. Names are ASCII. */
function inOrder(features: readonly StoredFeature[]): StoredFeature[] {
  return features.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * The planner does not know how many flags have a tag. The offset keeps it from reading all of them for each flag by
 * the index on tags.
 */
export async function deleteTagsOfFeatures(trx: Trx, tags: readonly FeatureTag[]): Promise<void> {
  if (tags.length === 0) return;
  await sql`
    delete from feature_tags using (
      select own.ctid
      from unnest(
        ${tags.map(({ featureName }) => featureName)}::text[], ${tags.map(({ type }) => type)}::text[],
        ${tags.map(({ value }) => value)}::text[]
      ) as removed (feature_name, type, value)
      cross join lateral (
        select ctid, type, value from feature_tags where feature_name = removed.feature_name offset 0
      ) as own
      where own.type = removed.type and own.value = removed.value
    ) as known
    where feature_tags.ctid = known.ctid`.execute(trx);
}

export async function replaceStrategies(
  trx: Trx,
  environment: string,
  removed: readonly Strategy[],
  added: readonly Strategy[],
): Promise<void> {
  if (removed.length > 0) {
    await sql`delete from feature_strategies where id = any(${removed.map(({ id }) => id)}::uuid[])`.execute(trx);
  }
  await insertStrategies(
    trx,
    added.map((strategy) => ({ ...strategy, environment })),
  );
}

/** Null leaves the switch or the variants as they are. */
export async function updateStates(
  trx: Trx,
  environment: string,
  states: readonly { name: string; enabled: boolean | null; variants: Variant[] | null }[],
): Promise<void> {
  for (const piece of piecesOf(states)) {
    await sql`
      update feature_environments fe
      set enabled = coalesce(state.enabled, fe.enabled), variants = coalesce(nullif(state.variants::text, 'null')::json, fe.variants)
      from json_to_recordset(${JSON.stringify(piece)}::json) as state (name text, enabled boolean, variants json)
      where fe.feature_name = state.name and fe.environment = ${environment}`.execute(trx);
  }
}

/** `set` adds a parent, or changes one that the child has. */
export async function replaceDependencies(
  trx: Trx,
  removed: readonly ({ child: string } & Dependency)[],
  set: readonly ({ child: string } & Dependency)[],
): Promise<void> {
  if (removed.length > 0) {
    await sql`
      delete from feature_dependencies where (child, parent) in (
        select * from unnest(${removed.map(({ child }) => child)}::text[], ${removed.map(({ feature }) => feature)}::text[])
      )`.execute(trx);
  }
  if (set.length === 0) return;
  await sql`
    insert into feature_dependencies (child, parent, enabled, variants)
    select child, feature, enabled, variants
    from json_to_recordset(${JSON.stringify(set)}::json) as dependency (
      child text, feature text, enabled boolean, variants json)
    on conflict on constraint feature_dependencies_pkey do update
      set enabled = excluded.enabled, variants = excluded.variants`.execute(trx);
}

/** The links of a flag are read in the order of their times, which differ by a microsecond each. */
export async function replaceLinks(
  trx: Trx,
  removed: readonly StoredLink[],
  added: readonly (StoredLink & { featureName: string })[],
): Promise<void> {
  if (removed.length > 0) {
    await sql`delete from feature_links where id = any(${removed.map(({ id }) => id)}::uuid[])`.execute(trx);
  }
  if (added.length === 0) return;
  await sql`
    insert into feature_links (id, feature_name, url, title, created_at)
    select
      (link ->> 'id')::uuid, link ->> 'featureName', link ->> 'url', link ->> 'title',
      now() + interval '1 microsecond' * row_number() over (partition by link ->> 'featureName' order by position)
    from json_array_elements(${JSON.stringify(added)}::json) with ordinality as sent (link, position)`.execute(trx);
}
