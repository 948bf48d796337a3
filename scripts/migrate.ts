// Makes roles, schemas and tables, or brings them to this version. It can run repeatedly and concurrently. The usage in
// migrate/options.ts has its arguments and settings.
//
// Exit codes: 0 done; 1 failed, the last lines say why; 2 the arguments or settings are wrong.

import { migrations as accounts } from '@yardarm/accounts/migrations';
import { migrations as events } from '@yardarm/events/migrations';
import { migrations as flags } from '@yardarm/flags/migrations';
import { migrations as integrations } from '@yardarm/integrations/migrations';
import { MigrationError, migrateAll, migrateOne, provisionAll, waitForDatabase } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { migrations as signals } from '@yardarm/signals/migrations';
import { endCommand } from './command.ts';
import { type MigrateOptions, readOptions } from './migrate/options.ts';

/** Postgres starts in seconds, after a crash in most of a minute. */
const waitLimitMs = 60_000;

const sets = { accounts, flags, events, integrations, signals };

async function migrate(options: MigrateOptions): Promise<void> {
  const log = createLogger({ service: 'migrate', level: options.logLevel });
  const url = options.what === 'one' ? options.ownerUrl : options.databaseUrl;
  await waitForDatabase({ url, limitMs: waitLimitMs, onWait: (reason) => log.info(reason) });
  if (options.what === 'one') return migrateOne({ set: sets[options.schema], ownerUrl: url, log });
  const { services, takesOver } = options;
  const roles = services.map(({ schema, ...urls }) => ({ set: sets[schema], ...urls }));
  const run = options.what === 'all' ? migrateAll : provisionAll;
  await run({ ownerUrl: url, services: roles, takesOver, log });
}

try {
  await migrate(readOptions(process.argv.slice(2)));
} catch (error) {
  endCommand('migrate', error, error instanceof MigrationError);
}
