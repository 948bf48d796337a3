import { encryptSecretsAgain } from '@yardarm/accounts/encrypt-again';
import { readableSecretsOf } from '@yardarm/accounts/readable-secrets';
import { proveKey, WrongKeyError } from '@yardarm/integrations/prove-key';
import { createDatabase, type Database, MigrationError, waitForDatabase } from '@yardarm/shared/db';
import { keyringOf } from '@yardarm/shared/encryption';
import { createLogger } from '@yardarm/shared/log';
import { helpIfAsked, UsageError } from '../command.ts';
import { CommandError } from './errors.ts';
import { accountsOptions, integrationsOptions } from './rotate-key/options.ts';

const usage = `Usage: yardarm rotate-key [integrations|accounts]
Encrypts every stored secret of the service with its current key; without a name, those of integrations.
  integrations  INTEGRATIONS_ENCRYPTION_KEY; INTEGRATIONS_ENCRYPTION_OTHER_KEYS has the key before
  accounts      ACCOUNTS_ENCRYPTION_KEY; ACCOUNTS_ENCRYPTION_OTHER_KEYS has the key before
All replicas of the service need both keys first (its README).
  DATABASE_URL is the login of the service; without it, the login of the installation that npm start runs on YARDARM_DATA_DIR.`;

/** A running Postgres answers in milliseconds, one that starts within a minute. */
const waitLimitMs = 60_000;

type TablesOf<Use extends (db: never, ...rest: never[]) => unknown> =
  Parameters<Use>[0] extends Database<infer Tables> ? Tables : never;

/** Does what a start of the service does with its keys. It may be repeated. */
export async function rotateKey(words: string[]): Promise<number> {
  helpIfAsked(words, usage);
  const [service = 'integrations', extra] = words;
  if (extra !== undefined) throw new UsageError(`${extra} is one argument too many.\n${usage}`);
  if (service !== 'integrations' && service !== 'accounts')
    throw new UsageError(`${service} has no key; the services with one are integrations and accounts.\n${usage}`);
  const keyId = await (service === 'accounts' ? rotateAccounts() : rotateIntegrations());
  console.log(
    `Every secret of ${service} is encrypted with the key ${keyId}. The other keys are needed no longer\n` +
      `once each replica of ${service} has this key as ${service.toUpperCase()}_ENCRYPTION_KEY.`,
  );
  return 0;
}

async function rotateIntegrations(): Promise<string> {
  const config = integrationsOptions();
  const keys = keyringOf(config.INTEGRATIONS_ENCRYPTION_KEY, config.INTEGRATIONS_ENCRYPTION_OTHER_KEYS);
  const log = createLogger({ service: 'rotate-key', level: config.LOG_LEVEL });
  await waitForDatabase({ url: config.DATABASE_URL, limitMs: waitLimitMs }).catch(explain);
  const db = createDatabase<TablesOf<typeof proveKey>>({
    ...{ url: config.DATABASE_URL, schema: 'integrations', log, maxConnections: 1 },
  });
  try {
    await proveKey(db, keys, log).catch(explain);
  } finally {
    await db.close();
  }
  return keys.currentId;
}

async function rotateAccounts(): Promise<string> {
  const config = accountsOptions();
  const secrets = readableSecretsOf({ ...config, API_TOKENS_READABLE: true });
  const log = createLogger({ service: 'rotate-key', level: config.LOG_LEVEL });
  await waitForDatabase({ url: config.DATABASE_URL, limitMs: waitLimitMs }).catch(explain);
  const db = createDatabase<TablesOf<typeof encryptSecretsAgain>>({
    ...{ url: config.DATABASE_URL, schema: 'accounts', log, maxConnections: 1 },
  });
  try {
    const undecryptable = await encryptSecretsAgain(db, secrets, log);
    if (undecryptable > 0)
      throw new CommandError(
        `the secrets of ${undecryptable} API tokens cannot be decrypted: give their key in ACCOUNTS_ENCRYPTION_OTHER_KEYS, or delete tokens whose rows were changed by hand`,
      );
  } finally {
    await db.close();
  }
  return keyringOf(config.ACCOUNTS_ENCRYPTION_KEY).currentId;
}

function explain(error: Error): never {
  if (error instanceof WrongKeyError || error instanceof MigrationError)
    throw new CommandError(error.message, { cause: error });
  throw error;
}
