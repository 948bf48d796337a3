// Publishes a service's events again, from its outbox: for a consumer that lost them. A stream that was lost as a whole is filled
// again without this. The service's own relay does the work, in order; who knows an event already drops it by its id.
//
// Exit codes: 0 done; 1 it could not be done; 2 the arguments or settings are wrong.

import { ConfigError } from '@yardarm/shared/config';
import { createDatabase, replay } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { readOptions, UsageError } from './replay/options.ts';

try {
  const { service, since, DATABASE_URL, LOG_LEVEL } = readOptions(process.argv.slice(2));
  const db = createDatabase({
    url: DATABASE_URL,
    schema: service,
    log: createLogger({ service: 'replay', level: LOG_LEVEL }),
    maxConnections: 1,
    applicationName: 'yardarm-replay',
  });
  try {
    const rows = await replay(db, { since });
    console.log(`${rows} event(s) of ${service} since ${since.toISOString()} will be published again.`);
  } finally {
    await db.close();
  }
} catch (error) {
  const isWrong = error instanceof ConfigError || error instanceof UsageError;
  const { code, message } = error as { code?: string; message: string };
  // No such table, or no right to it: the login sees its own schema only.
  const advice = code === '42P01' || code === '42501' ? ': is DATABASE_URL the login of that service?' : '';
  console.error(`replay: ${message}${advice}`);
  process.exitCode = isWrong ? 2 : 1;
}
