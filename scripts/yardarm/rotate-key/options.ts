import { settings as accounts } from '@yardarm/accounts/config';
import { settings as integrations } from '@yardarm/integrations/config';
import { databaseSettings, encryptionKey, loadConfig, secret } from '@yardarm/shared/config';
import { withDatabaseLogin } from '../../start/database-logins.ts';

type Environment = Record<string, string | undefined>;

const { DATABASE_URL } = databaseSettings;

/** The database and the keys of integrations. Throws ConfigError, which names every problem. */
export function integrationsOptions(environment: Environment = process.env) {
  const { INTEGRATIONS_ENCRYPTION_KEY, INTEGRATIONS_ENCRYPTION_OTHER_KEYS, LOG_LEVEL } = integrations;
  const settings = { DATABASE_URL, INTEGRATIONS_ENCRYPTION_KEY, INTEGRATIONS_ENCRYPTION_OTHER_KEYS, LOG_LEVEL };
  return loadConfig(settings, withDatabaseLogin('integrations', environment));
}

/** The database and the keys of accounts, where the service itself may have none. */
export function accountsOptions(environment: Environment = process.env) {
  const { ACCOUNTS_ENCRYPTION_OTHER_KEYS, LOG_LEVEL } = accounts;
  const ACCOUNTS_ENCRYPTION_KEY = secret(encryptionKey);
  const settings = { DATABASE_URL, ACCOUNTS_ENCRYPTION_KEY, ACCOUNTS_ENCRYPTION_OTHER_KEYS, LOG_LEVEL };
  return loadConfig(settings, withDatabaseLogin('accounts', environment));
}
