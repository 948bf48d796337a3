import { settings as accounts } from '@yardarm/accounts/config';
import { settings as integrations } from '@yardarm/integrations/config';
import { databaseSettings, encryptionKey, loadConfig, secret } from '@yardarm/shared/config';
import { readCredentials } from '../../start/credentials.ts';
import { dataFolder, withDatabaseLogin } from '../../start/database-logins.ts';

type Environment = Record<string, string | undefined>;

const { DATABASE_URL } = databaseSettings;

/** The database and the keys of integrations. Throws ConfigError, which names every problem. */
export function integrationsOptions(environment: Environment = process.env) {
  const { INTEGRATIONS_ENCRYPTION_KEY, INTEGRATIONS_ENCRYPTION_OTHER_KEYS, LOG_LEVEL } = integrations;
  const settings = { DATABASE_URL, INTEGRATIONS_ENCRYPTION_KEY, INTEGRATIONS_ENCRYPTION_OTHER_KEYS, LOG_LEVEL };
  return loadConfig(settings, ofInstallation('integrations', environment));
}

/** The database and the keys of accounts, where the service itself may have none. */
export function accountsOptions(environment: Environment = process.env) {
  const { ACCOUNTS_ENCRYPTION_OTHER_KEYS, LOG_LEVEL } = accounts;
  const ACCOUNTS_ENCRYPTION_KEY = secret(encryptionKey);
  const settings = { DATABASE_URL, ACCOUNTS_ENCRYPTION_KEY, ACCOUNTS_ENCRYPTION_OTHER_KEYS, LOG_LEVEL };
  return loadConfig(settings, ofInstallation('accounts', environment));
}

/**
 * The environment with the login of the service and its keys. Without DATABASE_URL both are those of the installation
 * that `npm start` runs on YARDARM_DATA_DIR: the key that it has generated is the current one, or, beside a key that is
 * given, the one before.
 */
function ofInstallation(service: 'accounts' | 'integrations', environment: Environment): Environment {
  const withLogin = withDatabaseLogin(service, environment);
  if (withLogin === environment) return environment;
  const generated = readCredentials(dataFolder(environment))[`${service}EncryptionKey`];
  const current = `${service.toUpperCase()}_ENCRYPTION_KEY`;
  const others = `${service.toUpperCase()}_ENCRYPTION_OTHER_KEYS`;
  const isGiven = (name: string) => Boolean(environment[name] || environment[`${name}_FILE`]);
  const missing = [current, others].find((name) => !isGiven(name));
  return generated === undefined || missing === undefined ? withLogin : { ...withLogin, [missing]: generated };
}
