import type { ProjectOverview } from '@yardarm/shared/contracts/flags';
import { type Kysely, type RawBuilder, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { stageRank } from '../../features/lifecycle/lifecycle.repo.ts';
import type { KnownPerson } from '../../features/person.ts';
import { isPotentiallyStale } from '../../features/staleness/staleness.repo.ts';
import type { ListedProject, ReadProject } from './project-view.ts';

const listedColumns = sql`
  p.id, p.name, p.description, p.mode, p.default_stickiness as "defaultStickiness",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.archived_at as "archivedAt"`;

const columns = sql`
  ${listedColumns}, p.feature_limit as "featureLimit", p.feature_naming as "featureNaming",
  p.link_templates as "linkTemplates"`;

/** The projects that are archived or not, by name, or only those of some ids. */
export async function listProjectRows(
  db: Kysely<FlagsTables>,
  { archived, ids, userId }: { archived: boolean; ids?: readonly string[] | undefined; userId: number | null },
): Promise<ListedProject[]> {
  const ofIds = ids === undefined ? sql`true` : sql`p.id = any(${ids}::text[])`;
  return await selectProjects(db, listedColumns, sql`(p.archived_at is not null) = ${archived} and ${ofIds}`, userId);
}

/** One project, archived or not. */
export async function findProjectRow(
  db: Kysely<FlagsTables>,
  id: string,
  userId: number | null,
): Promise<ReadProject | null> {
  return (await selectProjects<ReadProject>(db, columns, sql`p.id = ${id}`, userId))[0] ?? null;
}

async function selectProjects<Row extends ListedProject>(
  db: Kysely<FlagsTables>,
  selected: RawBuilder<unknown>,
  filter: RawBuilder<unknown>,
  userId: number | null,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with selected as (
      select ${selected} from projects p where ${filter}
    ), flags as (
      select
        f.project, count(*)::integer as feature_count, count(*) filter (where f.stale)::integer as stale_count,
        count(*) filter (where ${isPotentiallyStale})::integer as potentially_stale_count
      from features f join feature_types t on t.id = f.type
      where f.archived_at is null and f.project in (select id from selected)
      group by f.project
    ), completed as (
      select f.project, count(*)::integer as count
      from feature_lifecycle l join features f on f.name = l.feature_name
      where l.stage = 'completed' and f.archived_at is null and f.project in (select id from selected)
      group by f.project
    ), changes as (
      select f.project, max(c.changed_at) as changed_at
      from feature_collaborators c join features f on f.name = c.feature_name
      where f.project in (select id from selected)
      group by f.project
    ), seen as (
      select f.project, max(s.last_seen_at) as last_seen_at
      from feature_last_seen s join features f on f.name = s.feature_name
      where f.project in (select id from selected)
      group by f.project
    )
    select
      p.*,
      exists (select from project_favorites where project = p.id and user_id = ${userId}) as favorite,
      coalesce(flags.feature_count, 0) as "featureCount", coalesce(flags.stale_count, 0) as "staleFeatureCount",
      coalesce(flags.potentially_stale_count, 0) as "potentiallyStaleFeatureCount",
      coalesce(completed.count, 0) as "cleanupCount",
      changes.changed_at as "changedAt", seen.last_seen_at as "lastSeenAt",
      case when seen.last_seen_at is null then (
        select name from features where project = p.id order by created_at, name limit 1
      ) end as "firstFeature"
    from selected p
    left join flags on flags.project = p.id
    left join completed on completed.project = p.id
    left join changes on changes.project = p.id
    left join seen on seen.project = p.id
    order by p.name, p.id`.execute(db);
  return rows;
}

/** The remaining parts of a project's overview. Windows are the last 30 days and the 30 days before. */
export async function findOverviewDetails(
  db: Kysely<FlagsTables>,
  id: string,
): Promise<Pick<ProjectOverview, 'environments' | 'featureTypeCounts' | 'stats'>> {
  const current = sql`now() - interval '30 days'`;
  const past = sql`now() - interval '60 days'`;
  const { rows } = await sql<Pick<ProjectOverview, 'environments' | 'featureTypeCounts' | 'stats'>>`
    select (
      select coalesce(json_agg(
        case when pe.default_strategy is null then json_build_object('environment', e.name)
        else json_build_object('environment', e.name, 'defaultStrategy', pe.default_strategy) end
        order by e.sort_order, e.name
      ), '[]')
      from project_environments pe join environments e on e.name = pe.environment where pe.project = ${id}
    ) as environments, (
      select coalesce(json_agg(json_build_object('type', type, 'count', count) order by type), '[]')
      from (
        select type, count(*) as count from features where project = ${id} and archived_at is null group by type
      ) as counted
    ) as "featureTypeCounts", (
      select json_build_object(
        'createdCurrentWindow', count(*) filter (where created_at > ${current}),
        'createdPastWindow', count(*) filter (where created_at <= ${current} and created_at > ${past}),
        'archivedCurrentWindow', count(*) filter (where archived_at > ${current}),
        'archivedPastWindow', count(*) filter (where archived_at <= ${current} and archived_at > ${past}),
        'avgTimeToProdCurrentWindow', coalesce((
          select round(avg(extract(epoch from l.entered_at - f.created_at) / 86400), 1)
          from feature_lifecycle l join features f on f.name = l.feature_name
          where f.project = ${id} and l.stage = 'live' and l.entered_at > ${current}
        ), 0)
      )
      from features where project = ${id}
    ) as stats`.execute(db);
  return rows[0]!;
}

/** Null without the project. */
export async function findReleases(
  db: Kysely<FlagsTables>,
  id: string,
): Promise<{ environments: string[]; features: { name: string; createdAt: string }[] } | null> {
  const { rows } = await sql<{ environments: string[]; features: { name: string; createdAt: string }[] }>`
    select (
      select coalesce(json_agg(e.name order by e.name), '[]')
      from project_environments pe join environments e on e.name = pe.environment
      where pe.project = p.id and e.type = 'production'
    ) as environments, (
      select coalesce(json_agg(json_build_object('name', f.name, 'createdAt', f.created_at) order by f.name), '[]')
      from features f where f.project = p.id and f.type = 'release'
    ) as features
    from projects p where p.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

export interface StageOfFlags {
  stage: string;
  averageDays: number | null;
  currentFlags: number;
  last30Days: number;
}

/**
 * The stages of a project's flags and the number of its segments. A flag is in the stage that it entered last. A stage
 * ends when the next begins.
 */
export async function findStatusDetails(
  db: Kysely<FlagsTables>,
  id: string,
): Promise<{ stages: StageOfFlags[]; segments: number }> {
  const { rows } = await sql<{ stages: StageOfFlags[]; segments: number }>`
    with entered as (
      select
        l.stage, l.entered_at,
        lead(l.entered_at) over (partition by l.feature_name order by ${stageRank}) as left_at
      from feature_lifecycle l join features f on f.name = l.feature_name
      where f.project = ${id}
    ), stages as (
      select
        stage,
        round(avg(greatest(extract(epoch from coalesce(left_at, now()) - entered_at), 0) / 86400), 1) as "averageDays",
        count(*) filter (where left_at is null) as "currentFlags",
        count(*) filter (where left_at is null and entered_at > now() - interval '30 days') as "last30Days"
      from entered
      group by stage
    )
    select
      (select coalesce(json_agg(stages), '[]') from stages) as stages,
      (select count(*)::integer from segments where project = ${id}) as segments`.execute(db);
  return rows[0]!;
}

/** Of one project, or of all. */
export async function findFlagCreators(db: Kysely<FlagsTables>, project?: string): Promise<KnownPerson[]> {
  const { rows } = await sql<KnownPerson>`
    select creator.id, u.name, u.username, u.email
    from (
      select distinct created_by_user_id as id from features
      ${project === undefined ? sql`` : sql`where project = ${project}`}
    ) as creator
    left join users u on u.id = creator.id`.execute(db);
  return rows;
}

/** The newest flags that a user has created or made a favorite, without archived ones. */
export async function findFlagsOfUser(
  db: Kysely<FlagsTables>,
  userId: number,
  limit: number,
): Promise<{ name: string; project: string; type: string }[]> {
  const { rows } = await sql<{ name: string; project: string; type: string }>`
    select name, project, type from features f
    where archived_at is null and (
      created_by_user_id = ${userId}
      or name in (select feature_name from feature_favorites where user_id = ${userId})
    )
    order by created_at desc, name
    limit ${limit}`.execute(db);
  return rows;
}
