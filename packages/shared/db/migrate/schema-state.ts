// Whether a service can run on its schema, by the migrations that the schema has and those that the service knows.
//
//   missing   There is no table of migrations. The service waits.
//   older     A migration of the service is not applied. The service waits.
//   current   Every migration of the service is applied. There may be newer ones: a release runs on the schema of the
//             next one.
//   too new   A newer migration needs one that the service does not know. The service ends.

import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../../config/index.ts';
import { isMissing } from '../failures.ts';
import { refuseOtherService } from './login-problem.ts';
import { type MigrationSet, migrationTable } from './migration-set.ts';

/** Before the name of a migration in the comment of the table of migrations. */
const neededPrefix = 'Services need the migration ';

/** States in the schema that services must know a migration. Its transaction is that of the migration that needs it. */
export async function recordNeeded(db: Kysely<unknown>, schema: string, needed: string): Promise<void> {
  // COMMENT takes no parameters.
  const comment = sql.lit(`${neededPrefix}${needed}`);
  await sql`comment on table ${sql.id(schema, migrationTable)} is ${comment}`.execute(db);
}

/**
 * Returns why the service must wait for its schema, in a sentence; null when it can run. Throws ConfigError when the
 * schema is too new or the login is that of another service, and the errors of Postgres. It reads as the login of the
 * service.
 */
export async function schemaProblem<T>(db: Kysely<T>, { service, migrations }: MigrationSet): Promise<string | null> {
  const found = await readState(db, service);
  const command = `npm run migrate -- ${service}`;
  if (found === null) await refuseOtherService(db, service);
  if (found === null) return `The schema ${service} has no migrations of Yardarm yet: run ${command}.`;
  const { needed, applied } = found;
  if (needed !== null && !Object.hasOwn(migrations, needed)) {
    throw new ConfigError(
      `The schema ${service} of DATABASE_URL is too new: it needs a service that knows the migration ${needed}, and the last one ` +
        `of this version is ${Object.keys(migrations).sort().at(-1) ?? 'none'}. Run a newer version.`,
    );
  }
  const missing = Object.keys(migrations).filter((name) => !applied.includes(name));
  if (missing.length === 0) return null;
  return `The schema ${service} is older than this version: it lacks ${missing.sort().join(', ')}. Run ${command}.`;
}

async function readState<T>(
  db: Kysely<T>,
  schema: string,
): Promise<{ applied: string[]; needed: string | null } | null> {
  const table = sql.id(schema, migrationTable);
  try {
    const { rows } = await sql<{ applied: string[]; comment: string | null }>`
      select coalesce(array_agg(name), '{}')::text[] as applied,
        obj_description(${`${schema}.${migrationTable}`}::regclass, 'pg_class') as comment
      from ${table}`.execute(db);
    const { applied, comment } = rows[0]!;
    return { applied, needed: comment?.startsWith(neededPrefix) ? comment.slice(neededPrefix.length) : null };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
