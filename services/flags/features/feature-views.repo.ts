import type { Feature, VersionedFeature } from '@yardarm/shared/contracts/flags';
import { type Kysely, prepared, type RawBuilder, type Selectable, sql, type Transaction } from '@yardarm/shared/db';
import type { TimeSlicer } from '@yardarm/shared/waiting';
import { readInPortions } from '../db/read-in-portions.ts';
import { toRow } from '../db/rows.ts';
import type { FlagsTables } from '../db/schema.ts';
import { segmentsOfStrategy } from '../targeting/strategies/strategies.repo.ts';
import { isLastHour, total } from '../usage/usage-views.repo.ts';
import { dependenciesOf } from './dependencies/dependencies.repo.ts';
import { type FeatureDetails, toFeature, toVersionedFeature } from './feature-view.ts';
import { stageRank } from './lifecycle/lifecycle.repo.ts';

type FeatureColumns = Selectable<FlagsTables['features']> & FeatureDetails;

/** One flag as this user sees it, archived or not, with its usage of the last hour. */
export async function findFeature(
  db: Kysely<FlagsTables>,
  project: string,
  name: string,
  userId: number | null,
): Promise<VersionedFeature | null> {
  const statement = selectFeatures(
    sql`f.project = ${project} and f.name = ${name}`,
    sql`${userId}::bigint`,
    1,
    usageOfLastHour,
  );
  const [row] = (await prepared('find-feature', statement).execute(db)).rows;
  return row ? toVersionedFeature(toRow(row)) : null;
}

/**
 * Adds flags to `found` by name, archived or not, in their state at the end of the transaction. Each of them is seen by
 * a user of its own. It is mapped when it is called for, so that a row that cannot be mapped costs no other flag its
 * answer.
 */
export function deferFindFeatures(
  trx: Transaction<FlagsTables>,
  readers: readonly { featureName: string; userId: number | null }[],
  found: Map<string, () => VersionedFeature>,
): void {
  const names = readers.map(({ featureName }) => featureName);
  const userId = sql<number>`(
    select user_id from unnest(${names}::text[], ${readers.map(({ userId }) => userId)}::bigint[]) as reader (name, user_id)
    where reader.name = f.name
  )`;
  const statement = selectFeatures(sql`f.name = any(${names}::text[])`, userId, names.length);
  trx.defer(prepared('find-features', statement), (rows) => {
    for (const row of rows) found.set(row.name, () => toVersionedFeature(toRow(row)));
  });
}

export interface ListedFeatures {
  project: string;
  namePrefix?: string | undefined;
  /** As type:value. A flag has one of them, unless there are none. */
  tag?: readonly string[] | undefined;
  userId: number | null;
}

/** Flags of a project by name, without the archived ones, as this user sees them: in portions, at one moment. */
export async function* readFeatures(
  trx: Transaction<FlagsTables>,
  { project, namePrefix = '', tag: tags = [], userId }: ListedFeatures,
  slicer: TimeSlicer,
): AsyncGenerator<Feature[]> {
  const ofProject = sql`f.project = ${project} and f.archived_at is null and starts_with(f.name, ${namePrefix})`;
  const tagged = sql`exists (
    select from feature_tags t where t.feature_name = f.name and t.type || ':' || t.value = any(${[...tags]}::text[])
  )`;
  const filter = tags.length === 0 ? ofProject : sql`${ofProject} and ${tagged}`;
  const statement = selectFeatures(filter, sql`${userId}::bigint`, null);
  for await (const rows of readInPortions(trx, statement, slicer)) yield rows.map((row) => toFeature(toRow(row)));
}

/** Other views do not have it, as in the public product: a list of flags would read it for each environment of each. */
const usageOfLastHour = sql`'usage', (
  select json_build_object('yes', ${total('yes')}, 'no', ${total('no')})
  from feature_usage u where u.feature_name = fe.feature_name and u.environment = fe.environment and ${isLastHour}
),`;

/** One statement, so that a flag's environments, strategies and stage agree without a transaction. */
function selectFeatures(
  filter: RawBuilder<unknown>,
  userId: RawBuilder<unknown>,
  limit: number | null,
  usage = sql``,
): RawBuilder<FeatureColumns> {
  return sql<FeatureColumns>`
    select
      f.*,
      exists (select from feature_favorites where user_id = ${userId} and feature_name = f.name) as favorite,
      (
        select json_build_object('id', f.created_by_user_id, 'name', u.name, 'username', u.username, 'email', u.email)
        from (values (1)) as one left join users u on u.id = f.created_by_user_id
      ) as "createdBy",
      (
        select coalesce(json_agg(json_build_object('type', t.type, 'value', t.value) order by t.type, t.value), '[]')
        from feature_tags t where t.feature_name = f.name
      ) as tags,
      (
        select coalesce(json_agg(d.child order by d.child), '[]') from feature_dependencies d where d.parent = f.name
      ) as children,
      ${dependenciesOf(sql`f.name`)} as dependencies,
      (
        select json_build_object('stage', l.stage, 'status', l.status, 'enteredAt', l.entered_at)
        from feature_lifecycle l where l.feature_name = f.name order by ${stageRank} desc limit 1
      ) as lifecycle,
      (
        select coalesce(
          json_agg(
            json_build_object('id', c.user_id, 'name', u.name, 'username', u.username, 'email', u.email)
            order by c.changed_at desc, c.user_id
          ), '[]')
        from feature_collaborators c left join users u on u.id = c.user_id where c.feature_name = f.name
      ) as collaborators,
      (
        select coalesce(
          json_agg(json_build_object('id', k.id, 'url', k.url, 'title', k.title) order by k.created_at, k.id), '[]')
        from feature_links k where k.feature_name = f.name
      ) as links,
      (
        select coalesce(
          json_agg(
            json_build_object(
              'name', e.name, 'type', e.type, 'sortOrder', e.sort_order, 'enabled', fe.enabled, 'variants', fe.variants,
              'lastSeenAt', (
                select last_seen_at from feature_last_seen seen
                where seen.feature_name = fe.feature_name and seen.environment = fe.environment
              ),
              ${usage} 'strategies', (
                select coalesce(
                  json_agg(
                    json_build_object(
                      'id', s.id, 'name', s.name, 'title', s.title, 'disabled', s.disabled,
                      'featureName', s.feature_name, 'sortOrder', s.sort_order, 'segments', ${segmentsOfStrategy},
                      'constraints', s.constraints, 'variants', s.variants, 'parameters', s.parameters
                    ) order by s.sort_order, s.id
                  ), '[]')
                from feature_strategies s where s.feature_name = fe.feature_name and s.environment = fe.environment
              )
            ) order by e.sort_order, e.name
          ), '[]')
        from feature_environments fe join environments e on e.name = fe.environment
        where fe.feature_name = f.name
      ) as environments
    from features f
    where ${filter}
    order by f.name
    limit ${limit}`;
}
