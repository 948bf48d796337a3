import type { FeatureSearch } from '@yardarm/shared/contracts/flags';
import { type Database, type Kysely, type RawBuilder, sql, withinLimit } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { FlagsTables } from '../../db/schema.ts';
import { isLastHour, total } from '../../usage/usage-views.repo.ts';
import { copiedColumns } from '../features.repo.ts';
import { stageRank } from '../lifecycle/lifecycle.repo.ts';
import type { FoundRow } from './found-feature.ts';
import { conditions, orderOf } from './search-conditions.repo.ts';

/**
 * Postgres compares a text with each position of a description. 150 descriptions of 10,000 equal letters and a text of
 * 1,000 take it more than 10 s. For each text, 10,000 flags with descriptions of 200 characters take 0.14 s.
 */
export const textsLimitMs = 3_000;

/** As `findMatches`, for a search that has texts. Throws `bad-data` when it takes too long. */
export async function findMatchesOfTexts(
  db: Database<FlagsTables>,
  search: FeatureSearch,
  userId: number | null,
  limitMs = textsLimitMs,
): Promise<{ features: FoundRow[]; total: number }> {
  return await withinLimit(db, { limitMs, lockLimitMs: Math.ceil(limitMs / 2), tooLong }, (trx) =>
    findMatches(trx, search, userId),
  );
}

function tooLong(seconds: number): AppError {
  return new AppError(
    'bad-data',
    `Finding the flags with these texts takes longer than ${seconds} seconds. Search for fewer or shorter texts, or in fewer projects.`,
  );
}

/** A page of the matching flags and the number of all of them, in one statement and so of one moment. */
export async function findMatches(
  db: Kysely<FlagsTables>,
  search: FeatureSearch,
  userId: number | null,
): Promise<{ features: FoundRow[]; total: number }> {
  const favorite = sql`f.name in (select feature_name from feature_favorites where user_id = ${userId}::bigint)`;
  const { rows } = await sql<{ total: number; feature: FoundRow | null }>`
    with matched as materialized (
      select f.name, row_number() over (order by ${orderOf(search, favorite)}) as place
      from features f
      where ${sql.join(conditions(search, favorite), sql` and `)}
    ), page as (
      select name, place from matched order by place limit ${search.limit} offset ${search.offset}
    )
    select total, row_to_json(found) as feature
    from (select count(*)::integer as total from matched) as counted
    left join (select page.place, found.* from page join lateral (${foundFeature(favorite, search.targeting)}) as found on true) as found
      on true
    order by place`.execute(db);
  return {
    total: rows[0]!.total,
    features: rows.flatMap(({ feature }) => (feature === null ? [] : toFound(feature))),
  };
}

/** Times within json are texts. */
function toFound({ place: _, createdAt, archivedAt, ...row }: FoundRow & { place?: number }): FoundRow {
  return { ...row, createdAt: new Date(createdAt), archivedAt: archivedAt === null ? null : new Date(archivedAt) };
}

const copied = Object.entries(copiedColumns).map(
  ([property, column]) => sql`${sql.ref(`f.${column}`)} as ${sql.ref(property)}`,
);

/** As `targetingSummarySchema` says. Gradual strategies of old SDKs have `percentage`. */
const targetingSummary = sql`(
  select json_build_object('strategyCount', strategies.count, 'strategies', coalesce(json_agg(first.summary), '[]'))
  from (
    select json_build_object(
      'name', s.name, 'title', s.title,
      'rollout', coalesce(s.parameters ->> 'rollout', s.parameters ->> 'percentage'),
      'segmentCount', (select count(*) from strategy_segments use where use.strategy_id = s.id),
      'constraintCount', json_array_length(s.constraints),
      'constraints', (
        select coalesce(
          json_agg(
            json_build_object(
              'contextName', c ->> 'contextName', 'operator', c ->> 'operator',
              'inverted', coalesce((c ->> 'inverted')::boolean, false),
              'valueCount', json_array_length(given.values),
              'values', (
                select coalesce(json_agg(left(value, 50)), '[]')
                from (select value from json_array_elements_text(given.values) as value limit 3) as first
              )
            )
          ), '[]')
        from (select c from json_array_elements(s.constraints) as c limit 2) as first
        -- A constraint of one value has it in another property.
        cross join lateral (
          select case
            when json_array_length(c -> 'values') > 0 then c -> 'values'
            when c ->> 'value' is not null then json_build_array(c -> 'value')
            else '[]'
          end as values
        ) as given
      )
    ) as summary
    from feature_strategies s
    where s.feature_name = fe.feature_name and s.environment = fe.environment and not s.disabled
    order by s.sort_order, s.id
    limit 3
  ) as first
)`;

function foundFeature(favorite: RawBuilder<unknown>, hasTargeting: boolean): RawBuilder<unknown> {
  return sql`
    select
      f.name, f.project, ${sql.join(copied)},
      f.created_at as "createdAt", f.archived_at as "archivedAt", ${favorite} as favorite,
      exists (select from feature_dependencies d where d.parent = f.name) as "hasChildren",
      exists (select from feature_dependencies d where d.child = f.name) as "hasParents",
      (
        select json_build_object('id', f.created_by_user_id, 'name', u.name, 'username', u.username, 'email', u.email)
        from (values (1)) as one left join users u on u.id = f.created_by_user_id
      ) as "createdBy",
      (
        select coalesce(json_agg(distinct s.name order by s.name), '[]')
        from feature_strategies strategy
        join strategy_segments use on use.strategy_id = strategy.id
        join segments s on s.id = use.segment_id
        where strategy.feature_name = f.name
      ) as segments,
      (
        select coalesce(
          json_agg(json_build_object('type', t.type, 'value', t.value, 'color', type.color) order by t.type, t.value), '[]')
        from feature_tags t join tag_types type on type.name = t.type where t.feature_name = f.name
      ) as tags,
      (
        select json_build_object('stage', l.stage, 'status', l.status, 'enteredAt', l.entered_at)
        from feature_lifecycle l where l.feature_name = f.name order by ${stageRank} desc limit 1
      ) as lifecycle,
      (
        select coalesce(
          json_agg(
            json_build_object(
              'name', e.name, 'type', e.type, 'sortOrder', e.sort_order, 'enabled', fe.enabled,
              'variantCount', json_array_length(fe.variants),
              'lastSeenAt', (
                select last_seen_at from feature_last_seen seen
                where seen.feature_name = fe.feature_name and seen.environment = fe.environment
              ),
              'yes', usage.yes, 'no', usage.no,
              'hasStrategies', strategies.count > 0, 'hasEnabledStrategies', strategies.enabled > 0${
                hasTargeting ? sql`, 'targeting', ${targetingSummary}` : sql``
              }
            ) order by e.sort_order, e.name
          ), '[]')
        from feature_environments fe
        join environments e on e.name = fe.environment
        cross join lateral (
          select count(*) as count, count(*) filter (where not s.disabled) as enabled
          from feature_strategies s where s.feature_name = fe.feature_name and s.environment = fe.environment
        ) as strategies
        cross join lateral (
          select ${total('yes')} as yes, ${total('no')} as no
          from feature_usage u
          where u.feature_name = fe.feature_name and u.environment = fe.environment and ${isLastHour}
        ) as usage
        where fe.feature_name = f.name
      ) as environments
    from features f where f.name = page.name`;
}
