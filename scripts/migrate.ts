// Makes roles, schemas and tables, or brings them to this version. It can run repeatedly and concurrently.
//
// Exit codes: 0 done; 1 failed, the last lines say why; 2 the settings are wrong.

import { migrations as accounts } from '@yardarm/accounts/migrations';
import { migrations as events } from '@yardarm/events/migrations';
import { migrations as flags } from '@yardarm/flags/migrations';
import { migrations as integrations } from '@yardarm/integrations/migrations';
import { ConfigError } from '@yardarm/shared/config';
import { MigrationError, migrateAll, waitForDatabase } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { migrations as signals } from '@yardarm/signals/migrations';
import { type MigrateOptions, readOptions } from './migrate/options.ts';

/** Postgres starts in seconds, after a crash in most of a minute. */
const waitLimitMs = 60_000;

async function migrate(options: MigrateOptions): Promise<void> {
  const log = createLogger({ service: 'migrate', level: options.LOG_LEVEL });
  await waitForDatabase({ url: options.DATABASE_URL, limitMs: waitLimitMs, onWait: (reason) => log.info(reason) });
  await migrateAll({
    ownerUrl: options.DATABASE_URL,
    services: [
      { set: accounts, loginUrl: options.ACCOUNTS_DATABASE_URL },
      { set: flags, loginUrl: options.FLAGS_DATABASE_URL },
      { set: events, loginUrl: options.EVENTS_DATABASE_URL },
      { set: integrations, loginUrl: options.INTEGRATIONS_DATABASE_URL },
      { set: signals, loginUrl: options.SIGNALS_DATABASE_URL },
    ],
    takesOver: options.YARDARM_TAKE_OVER_DATABASE === '1',
    log,
  });
}

try {
  await migrate(readOptions());
} catch (error) {
  // The messages of these errors are enough for an operator. Any other error is a bug, and its stack says where.
  const isExpected = error instanceof ConfigError || error instanceof MigrationError;
  console.error(isExpected ? `migrate: ${error.message}` : error);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
