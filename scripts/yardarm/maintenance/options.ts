import { settings } from '@yardarm/accounts/config';
import { databaseSettings, loadConfig } from '@yardarm/shared/config';
import { withDatabaseLogin } from '../../start/database-logins.ts';

/** The database of accounts. Throws ConfigError, which names every problem. */
export function maintenanceOptions(environment: Record<string, string | undefined> = process.env) {
  const { DATABASE_URL } = databaseSettings;
  const { LOG_LEVEL } = settings;
  return loadConfig({ DATABASE_URL, LOG_LEVEL }, withDatabaseLogin('accounts', environment));
}
