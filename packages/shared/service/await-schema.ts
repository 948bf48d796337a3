import { connectionProblem, type Database, type MigrationSet, ownerWarning, schemaProblem } from '../db/index.ts';
import { AppError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { pause } from '../waiting/index.ts';
import type { Starting } from './run-service.ts';

/** A migration takes seconds, and a query each second is no load. */
const pollMs = 1_000;

/** What is wrong with the database, in a sentence for /ready. */
export function databaseProblem(error: unknown): string {
  return connectionProblem(error) ?? 'Postgres does not answer';
}

/**
 * Resolves when the schema has every migration that the service knows (db/migrate/schema-state.ts). Until then, and
 * while Postgres does not answer, it waits without a limit and reports the reason. Throws ConfigError when the schema
 * is too new for this service, or when the login is that of another one. Warns of a login that owns the schema.
 */
export async function awaitSchema<Tables>(
  db: Pick<Database<Tables>, 'kysely'>,
  set: MigrationSet,
  log: Logger,
  onWaiting: Starting['onWaiting'] = () => {},
): Promise<void> {
  let last: string | null = null;
  for (;;) {
    const problem = await schemaProblem(db.kysely, set).then(
      (text): Record<string, string> | null => (text === null ? null : { schema: text }),
      (error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
        return { database: databaseProblem(error) };
      },
    );
    onWaiting(problem);
    if (problem === null) {
      if (last !== null) log.info('the schema is ready');
      const warning = await ownerWarning(db.kysely, set.service).catch(() => null);
      if (warning !== null) log.warn(warning);
      return;
    }
    const reason = Object.values(problem).join();
    if (reason !== last) log.warn({ reason }, 'waiting for the schema');
    last = reason;
    await pause(pollMs);
  }
}
