import type { Application, ProjectApplication } from '@yardarm/shared/contracts/flags';
import { type Kysely, sql, type Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { NewApplication } from './application.ts';

type Db = Kysely<FlagsTables>;

export interface Page {
  query: string;
  offset: number;
  limit: number;
  sortOrder: 'asc' | 'desc';
}

/** The SDK that an application `a` has used last for the first time. */
export const sdkVersionOf = sql`(
  select sdk_version from application_sdks s where s.application = a.name
  order by s.created_at desc, s.sdk_version desc limit 1
)`;

/** Where an application `a` evaluated flags. */
export const usageOf = sql`(
  select coalesce(json_agg(json_build_object('project', project, 'environments', environments) order by project), '[]')
  from (
    select f.project, json_agg(distinct u.environment) as environments
    from application_features u join features f on f.name = u.feature_name
    where u.application = a.name
    group by f.project order by f.project limit 100
  ) as used
)`;

/** An application `a` as it is listed. A property without a value is missing. */
const application = sql`json_strip_nulls(json_build_object(
  'appName', a.name, 'strategies', a.strategies, 'description', a.description, 'url', a.url, 'color', a.color,
  'icon', a.icon, 'sdkVersion', ${sdkVersionOf}, 'usage', ${usageOf}
))`;

const inOrder = { asc: sql`asc`, desc: sql`desc` };

export async function listApplicationRows(
  db: Db,
  { query, offset, limit, sortOrder }: Page,
): Promise<{ total: number; applications: Application[] }> {
  const { rows } = await sql<{ total: number; applications: Application[] }>`
    with found as (
      select * from applications where strpos(lower(name), lower(${query})) > 0
    )
    select (select count(*)::integer from found) as total, (
      select coalesce(json_agg(${application} order by a.name ${inOrder[sortOrder]}), '[]')
      from (select * from found order by name ${inOrder[sortOrder]} limit ${limit} offset ${offset}) as a
    ) as applications`.execute(db);
  return rows[0]!;
}

export async function findApplication(db: Db, name: string): Promise<Application | undefined> {
  const found = sql<{ found: Application }>`select ${application} as found from applications a where a.name = ${name}`;
  const { rows } = await found.execute(db);
  return rows[0]?.found;
}

export async function hasApplication(db: Db, name: string): Promise<boolean> {
  return (await db.selectFrom('applications').select('name').where('name', '=', name).executeTakeFirst()) !== undefined;
}

/** False if there is one of that name. */
export async function insertApplication(trx: Transaction<FlagsTables>, { name }: NewApplication): Promise<boolean> {
  const inserted = trx.insertInto('applications').values({ name });
  const { numInsertedOrUpdatedRows } = await inserted.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Properties that are not given stay. */
export async function updateApplication(
  trx: Transaction<FlagsTables>,
  { name, strategies, description, url, color, icon }: NewApplication,
): Promise<void> {
  const set = { ...(strategies && { strategies: [...strategies] }), description, url, color, icon };
  const given = Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0) return;
  await trx.updateTable('applications').set(given).where('name', '=', name).execute();
}

export async function deleteApplicationRow(db: Db, name: string): Promise<void> {
  await db.deleteFrom('applications').where('name', '=', name).execute();
}

/** Those that no report made. */
export async function countDescribedApplications(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from applications where environment is null`.execute(db);
  return rows[0]!.count;
}

/** The SDK versions of instances of the last day, or of those whose application evaluated flags of a project. */
export async function findSdksInUse(
  db: Db,
  project: string | null,
): Promise<{ sdkVersion: string; applications: string[] }[]> {
  const { rows } = await sql<{ sdkVersion: string; applications: string[] }>`
    select i.sdk_version as "sdkVersion", json_agg(distinct i.application) as applications
    from application_instances i
    where i.sdk_version is not null and i.seen_at > now() - interval '24 hours' and (
      ${project}::text is null
      or i.application in (
        select u.application from application_features u join features f on f.name = u.feature_name
        where f.project = ${project}
      )
    )
    group by i.sdk_version order by i.sdk_version`.execute(db);
  return rows;
}

export interface ProjectApplicationRow extends Pick<ProjectApplication, 'name' | 'environments' | 'instances'> {
  sdkVersions: string[];
}

export async function listProjectApplicationRows(
  db: Db,
  project: string,
  { query, offset, limit, sortOrder }: Page,
): Promise<{ total: number; applications: ProjectApplicationRow[] }> {
  const { rows } = await sql<{ total: number; applications: ProjectApplicationRow[] }>`
    with used as (
      select u.application as name, array_agg(distinct u.environment) as environments
      from application_features u join features f on f.name = u.feature_name
      where f.project = ${project}
      group by u.application
    ), found as (
      select * from used
      where strpos(lower(name), lower(${query})) > 0 or ${query} = any(environments) or exists (
        select from application_instances i
        where i.application = used.name and strpos(lower(i.sdk_version), lower(${query})) > 0
      )
    ), page as (
      select * from found order by name ${inOrder[sortOrder]} limit ${limit} offset ${offset}
    )
    select (select count(*)::integer from found) as total, (
      select coalesce(json_agg(json_build_object(
        'name', name, 'environments', environments,
        'instances', (
          select coalesce(json_agg(distinct instance_id), '[]')
          from (
            select instance_id from application_instances i
            where i.application = page.name and i.environment = any(page.environments)
              and i.seen_at > now() - interval '24 hours'
            -- A console shows how many there are.
            order by i.seen_at desc limit 1000
          ) as recent
        ),
        'sdkVersions', (
          select coalesce(json_agg(distinct sdk_version), '[]') from application_instances i
          where i.application = page.name and i.environment = any(page.environments) and i.sdk_version is not null
        )
      ) order by name ${inOrder[sortOrder]}), '[]')
      from page
    ) as applications`.execute(db);
  return rows[0]!;
}
