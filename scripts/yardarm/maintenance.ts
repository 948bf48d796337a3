import { randomUUID } from 'node:crypto';
import { isInMaintenance, storeMaintenanceMode } from '@yardarm/accounts/maintenance';
import { systemActor } from '@yardarm/shared/contracts';
import { createDatabase, waitForDatabase } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { helpIfAsked, UsageError } from '../command.ts';
import { maintenanceOptions } from './maintenance/options.ts';

const usage = `Usage: yardarm maintenance on|off|status
Begins or ends maintenance mode, or prints whether it is on. It works without a gateway, on the database of accounts.
Running services feel it within two seconds.
  DATABASE_URL is the login of accounts; without it, the login of the installation that npm start runs on YARDARM_DATA_DIR.`;

/** A running Postgres answers in milliseconds, one that starts within a minute. */
const waitLimitMs = 60_000;

/** The services find the setting by their polls. The relay of accounts publishes the event. */
export async function maintenance(words: string[]): Promise<number> {
  helpIfAsked(words, usage);
  const [verb, extra] = words;
  if (extra !== undefined) throw new UsageError(`${extra} is one argument too many.\n${usage}`);
  if (verb !== 'on' && verb !== 'off' && verb !== 'status')
    throw new UsageError(`${verb ?? 'Nothing'} is not on, off or status.\n${usage}`);
  const { DATABASE_URL: url, LOG_LEVEL: level } = maintenanceOptions();
  await waitForDatabase({ url, limitMs: waitLimitMs });
  const log = createLogger({ service: 'maintenance', level });
  const db: Parameters<typeof isInMaintenance>[0] = createDatabase({ url, schema: 'accounts', log, maxConnections: 1 });
  try {
    const origin = { actor: systemActor, requestId: randomUUID(), traceparent: null };
    if (verb !== 'status') await storeMaintenanceMode(db, verb === 'on', origin);
    console.log(`Maintenance mode is ${(await isInMaintenance(db)) ? 'on' : 'off'}.`);
  } finally {
    await db.close();
  }
  return 0;
}
