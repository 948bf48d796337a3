import { settings as integrations } from '@yardarm/integrations/config';
import { databaseSettings, loadConfig } from '@yardarm/shared/config';
import { withDatabaseLogin } from '../../start/database-logins.ts';

const settings = {
  DATABASE_URL: databaseSettings.DATABASE_URL,
  INTEGRATIONS_ENCRYPTION_KEY: integrations.INTEGRATIONS_ENCRYPTION_KEY,
  INTEGRATIONS_ENCRYPTION_OTHER_KEYS: integrations.INTEGRATIONS_ENCRYPTION_OTHER_KEYS,
  LOG_LEVEL: integrations.LOG_LEVEL,
};

/** The database and the keys of integrations. Throws ConfigError, which names every problem. */
export function readOptions(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, withDatabaseLogin('integrations', environment));
}
