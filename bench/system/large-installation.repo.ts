import { sql } from '@yardarm/shared/db';
import { analyse, openAsOwner } from './databases.repo.ts';

/** A statement with this many flags takes two seconds on a busy machine; the limit is ten. */
const flagsPerStatement = 1_000;

/**
 * Copies the flag `original`, which has strategies in every environment, into further flags: `inLargest` of them into
 * one project, the others into `projects` more. Every tenth flag gets the tag, every fourth is stale. All columns are
 * copied; only names, projects and ids differ, and the sizes by these. Revisions are raised once, so that gateways read
 * the new flags. The sizes of places and environments are their sums (`services/flags/changes/sizes.repo.ts`).
 */
export async function copyFlag(
  databaseUrl: string,
  original: string,
  { count, inLargest, projects, tag }: { count: number; inLargest: number; projects: number; tag: string },
): Promise<void> {
  const db = openAsOwner(databaseUrl, 'flags');
  await db.transaction(async (trx) => {
    await sql`
      create temporary table copies on commit drop as
      select 'large-flag-' || lpad(n::text, greatest(5, length(n::text)), '0') as name,
        case when n <= ${inLargest}::int then 'largest' else 'team-' || n % ${projects}::int end as project, n
      from generate_series(1, ${count}::int) as n`.execute(trx);
    await sql`insert into projects (id, name) select distinct project, project from copies`.execute(trx);
    await sql`
      insert into project_environments (project, environment)
      select project, environment from (select distinct project from copies) as p
      cross join (select environment from feature_environments where feature_name = ${original}) as e`.execute(trx);
    for (const { table, values } of tables) {
      const { rows } = await sql<{ name: string }>`
        select attname as name from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(trx);
      const columns = sql.join(rows.map(({ name }) => sql.ref(name)));
      const named = table === 'features' ? sql`t.name` : sql`t.feature_name`;
      for (let from = 0; from < count; from += flagsPerStatement) {
        await sql`
          insert into ${sql.table(table)} (${columns})
          select ${columns} from (
            select copy.* from ${sql.table(table)} t cross join copies c
            cross join lateral json_populate_record(t, ${values}) as copy
            where ${named} = ${original} and c.n > ${from}::int and c.n <= ${from + flagsPerStatement}::int
          ) as rows`.execute(trx);
      }
    }
    await sql`update features set stale = true from copies c where features.name = c.name and c.n % 4 = 0`.execute(trx);
    await sql`insert into tags (type, value) values ('simple', ${tag})`.execute(trx);
    await sql`
      insert into feature_tags (feature_name, type, value)
      select name, 'simple', ${tag} from copies where n % 10 = 0`.execute(trx);
    await sql`
      update feature_environments fe set bytes = fe.bytes + 30 + octet_length('simple') + octet_length(to_json(${tag}::text)::text)
      from copies c where fe.feature_name = c.name and c.n % 10 = 0`.execute(trx);
    await sql`
      insert into revisions (environment, project, revision, bytes)
      select environment, project, 1, sum(bytes) from feature_environments group by environment, project
      on conflict on constraint revisions_pkey do update set
        revision = revisions.revision + 1, bytes = excluded.bytes`.execute(trx);
    await sql`
      insert into environment_bytes (environment, units)
      select environment, sum((bytes + ${unitBytes - 1}::int) / ${unitBytes}::int) from revisions group by environment
      on conflict on constraint environment_bytes_pkey do update set units = excluded.units`.execute(trx);
  });
  await db.close();
  await analyse(databaseUrl, 'flags');
}

/** As in `services/flags/changes/sizes.ts`: the unit in which the sizes of environments are counted. */
const unitBytes = 16_384;

const named = sql`json_build_object('feature_name', c.name)`;

const tables = [
  { table: 'features', values: sql`json_build_object('name', c.name, 'project', c.project)` },
  {
    table: 'feature_environments',
    values: sql`json_build_object(
      'feature_name', c.name, 'project', c.project, 'revision', 1,
      'bytes', t.bytes + octet_length(c.name || c.project) - octet_length(t.feature_name || t.project))`,
  },
  { table: 'feature_strategies', values: sql`json_build_object('feature_name', c.name, 'id', gen_random_uuid())` },
  { table: 'feature_lifecycle', values: named },
  { table: 'feature_collaborators', values: named },
];
