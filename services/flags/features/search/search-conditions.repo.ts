import type { FeatureSearch } from '@yardarm/shared/contracts/flags';
import { type RawBuilder, sql } from '@yardarm/shared/db';
import { isCurrentStage } from '../lifecycle/lifecycle.repo.ts';
import { tagRows } from '../tags/tags.repo.ts';

type Condition = RawBuilder<unknown>;

// The conditions on a row `f` of features. A condition on other tables is a set of names, which Postgres reads once: a
// subquery per flag would be read for every flag.

export function conditions(search: FeatureSearch, favorite: Condition): Condition[] {
  const { texts, project, type, state, lifecycle, createdBy, tag, segment, status, createdAt, lastSeenAt } = search;
  return [
    archivedCondition(search),
    texts && textCondition(texts),
    project && oneOf(sql`f.project`, project),
    type && oneOf(sql`f.type`, type),
    state && stateCondition(state),
    lifecycle && stageCondition(lifecycle),
    createdBy && oneOf(sql`f.created_by_user_id::text`, createdBy),
    tag && tagCondition(tag),
    segment && segmentCondition(segment),
    status && statusCondition(status),
    search.favorite !== undefined && sql`${favorite} = ${search.favorite}`,
    createdAt && dayCondition(sql`f.created_at`, createdAt),
    lastSeenAt && dayCondition(lastSeen, lastSeenAt),
  ].filter((condition) => typeof condition === 'object');
}

const lastSeen = sql`(select max(last_seen_at) from feature_last_seen seen where seen.feature_name = f.name)`;

/** The order of the page; flags that compare equal are in the order of their names. */
export function orderOf(search: FeatureSearch, favorite: Condition): Condition {
  const { sortBy, sortEnvironment = '', sortOrder, favoritesFirst } = search;
  const values: Record<FeatureSearch['sortBy'], Condition> = {
    name: sql`f.name`,
    type: sql`f.type`,
    project: sql`f.project`,
    createdAt: sql`f.created_at`,
    lastSeenAt: lastSeen,
    stale: sql`f.stale`,
    environment: sql`exists (
      select from feature_environments fe
      where fe.feature_name = f.name and fe.environment = ${sortEnvironment} and fe.enabled
    )`,
  };
  const order = sql`${values[sortBy]} ${sql.raw(sortOrder)} nulls last, f.name`;
  return favoritesFirst ? sql`${favorite} desc, ${order}` : order;
}

/** Archived flags are found when they are asked for, or when their stage is. */
function archivedCondition({ archived, lifecycle }: FeatureSearch): Condition {
  if (archived === true) return sql`f.archived_at is not null`;
  const isStageAskedFor = lifecycle && !lifecycle.isNegated && lifecycle.values.includes('archived');
  return isStageAskedFor ? sql`true` : sql`f.archived_at is null`;
}

function textCondition(texts: readonly string[]): Condition {
  const patterns = texts.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`);
  return sql`(
    f.name ilike any(${patterns}::text[]) or f.description ilike any(${patterns}::text[]) or f.name in (
      select ft.feature_name from tags join feature_tags ft on ft.type = tags.type and ft.value = tags.value
      where tags.type || ':' || tags.value ilike any(${patterns}::text[])
    )
  )`;
}

function oneOf(value: Condition, { isNegated, values }: { isNegated: boolean; values: string[] }): Condition {
  const condition = sql`${value} = any(${values}::text[])`;
  return isNegated ? sql`not coalesce(${condition}, false)` : condition;
}

/** The stage that a flag entered last. Postgres joins the stages of all flags, or looks up those of few. */
function stageCondition({ isNegated, values }: { isNegated: boolean; values: string[] }): Condition {
  const condition = sql`exists (
    select from feature_lifecycle l
    where l.feature_name = f.name and l.stage = any(${values}::text[]) and ${isCurrentStage}
  )`;
  return isNegated ? sql`not ${condition}` : condition;
}

function stateCondition({ isNegated, values }: { isNegated: boolean; values: string[] }): Condition {
  const states: Record<string, Condition> = {
    active: sql`not f.stale`,
    stale: sql`f.stale`,
    'potentially-stale': sql`(f.potentially_stale_since is not null and not f.stale)`,
  };
  const known = values.flatMap((value) => (Object.hasOwn(states, value) ? states[value]! : []));
  const condition = sql`(${sql.join([sql`false`, ...known], sql` or `)})`;
  return isNegated ? sql`not ${condition}` : condition;
}

/**
 * The planner expects few names and would compare each flag with each of them. A test of the result keeps it from
 * joining the names, so that it hashes them.
 */
function isIn(names: Condition): Condition {
  return sql`(f.name in ${names}) is true`;
}

/** The names of the flags whose rows are in `from`, with any or all of the values. */
function namesWith(name: Condition, from: Condition, { match, values, isNegated }: NonNullable<Sets>): Condition {
  const all = sql`group by 1 having count(*) = ${values.length}`;
  const names = sql`(select ${name} from ${from} ${match === 'all' ? all : sql``})`;
  return isNegated ? sql`f.name not in ${names}` : isIn(names);
}

type Sets = FeatureSearch['tag'] | FeatureSearch['segment'];

function tagCondition(tag: NonNullable<FeatureSearch['tag']>): Condition {
  const values = [...new Map(tag.values.map((value) => [JSON.stringify(value), value])).values()];
  const from = sql`feature_tags t join ${tagRows(values)} on t.type = tag.type and t.value = tag.value`;
  return namesWith(sql`t.feature_name`, from, { ...tag, values });
}

function segmentCondition(segment: NonNullable<FeatureSearch['segment']>): Condition {
  const values = [...new Set(segment.values)];
  const from = sql`(
    select distinct strategy.feature_name, s.name
    from feature_strategies strategy
    join strategy_segments use on use.strategy_id = strategy.id
    join segments s on s.id = use.segment_id
    where s.name = any(${values}::text[])
  ) as used`;
  return namesWith(sql`used.feature_name`, from, { ...segment, values });
}

function statusCondition(status: NonNullable<FeatureSearch['status']>): Condition {
  return isIn(sql`(
    select fe.feature_name
    from feature_environments fe
    join unnest(
      ${status.map(({ environment }) => environment)}::text[], ${status.map(({ enabled }) => enabled)}::boolean[]
    ) as status (environment, enabled) on fe.environment = status.environment and fe.enabled = status.enabled
  )`);
}

function dayCondition(
  time: Condition,
  { operator, day }: { operator: 'before' | 'on-or-after'; day: string },
): Condition {
  const start = `${day}T00:00:00Z`;
  return operator === 'before' ? sql`${time} < ${start}::timestamptz` : sql`${time} >= ${start}::timestamptz`;
}
