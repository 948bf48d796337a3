import { proveKey, WrongKeyError } from '@yardarm/integrations/prove-key';
import { createDatabase, type Database, MigrationError, waitForDatabase } from '@yardarm/shared/db';
import { keyringOf } from '@yardarm/shared/encryption';
import { createLogger } from '@yardarm/shared/log';
import { CommandError, UsageError } from './errors.ts';
import { readOptions } from './rotate-key/options.ts';

const usage = `Usage: yardarm rotate-key
Seals every secret of integrations with INTEGRATIONS_ENCRYPTION_KEY. INTEGRATIONS_ENCRYPTION_OTHER_KEYS has the key before.
All replicas of integrations need both keys first (services/integrations/README.md).
  DATABASE_URL is the login of integrations; without it, the login of the installation that npm start runs on YARDARM_DATA_DIR.`;

/** A running Postgres answers in milliseconds, one that starts within a minute. */
const waitLimitMs = 60_000;

type Tables = Parameters<typeof proveKey>[0] extends Database<infer T> ? T : never;

/** Does what a start of integrations does with the keys. It may be repeated. */
export async function rotateKey(words: string[]): Promise<number> {
  if (words.length > 0) throw new UsageError(`${words[0]} is one argument too many.\n${usage}`);
  const config = readOptions();
  const url = config.DATABASE_URL;
  const keys = keyringOf(config.INTEGRATIONS_ENCRYPTION_KEY, config.INTEGRATIONS_ENCRYPTION_OTHER_KEYS);
  const log = createLogger({ service: 'rotate-key', level: config.LOG_LEVEL });
  await waitForDatabase({ url, limitMs: waitLimitMs }).catch(explain);
  const db = createDatabase<Tables>({ url, schema: 'integrations', log, maxConnections: 1 });
  try {
    await proveKey(db, keys, log).catch(explain);
  } finally {
    await db.close();
  }
  console.log(
    `Every secret of integrations is sealed with the key ${keys.currentId}. The other keys are needed no longer`,
  );
  console.log('once each replica of integrations has this key as INTEGRATIONS_ENCRYPTION_KEY.');
  return 0;
}

function explain(error: Error): never {
  if (error instanceof WrongKeyError || error instanceof MigrationError)
    throw new CommandError(error.message, { cause: error });
  throw error;
}
