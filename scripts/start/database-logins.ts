import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '@yardarm/shared/config';
import { replaceFile } from './replace-file.ts';

/**
 * While `npm start` runs, a file has the database logins of its services, so that the operator's commands find the
 * database on any port. Only its owner may read it.
 */
function loginsFile(dataDir: string): string {
  return path.join(dataDir, 'database-logins.json');
}

/** Writes the logins by service. Returns a function that removes them. */
export function writeDatabaseLogins(dataDir: string, urls: Record<string, string>): () => void {
  const file = loginsFile(dataDir);
  replaceFile(file, `${JSON.stringify(urls, null, 2)}\n`, 0o600);
  return () => rmSync(file, { force: true });
}

export function dataFolder(environment: Record<string, string | undefined>): string {
  return path.resolve(import.meta.dirname, '../..', environment.YARDARM_DATA_DIR || '.yardarm');
}

/**
 * The environment with a DATABASE_URL. The default is the login of the system that `npm start` runs on
 * YARDARM_DATA_DIR. Throws a ConfigError when there is none.
 */
export function withDatabaseLogin(
  service: string,
  environment: Record<string, string | undefined>,
): Record<string, string | undefined> {
  if (environment.DATABASE_URL || environment.DATABASE_URL_FILE) return environment;
  const dataDir = dataFolder(environment);
  const file = loginsFile(dataDir);
  if (!existsSync(file)) {
    throw new ConfigError(
      `DATABASE_URL: is required, the login of ${service}; without it npm start has to run, on YARDARM_DATA_DIR (now ${dataDir})`,
    );
  }
  const urls = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  return { ...environment, DATABASE_URL: urls[service] };
}
