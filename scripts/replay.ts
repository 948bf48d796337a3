// Replays events that were lost between two services: from the outbox of a service for a log that lacks them, or from
// the log for integrations. (The events of a stream that was lost as a whole are published again without this command.)
// The services do the work, in order. A consumer drops an event that it has handled by its id.
//
// Exit codes: 0 done; 1 failed; 2 the arguments or settings are wrong.

import { replayRecorded } from '@yardarm/integrations/replay-recorded';
import { createDatabase, type Database, replay } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { endCommand, isOfOtherLogin } from './command.ts';
import { type Replay, readOptions } from './replay/options.ts';

type Tables = Parameters<typeof replayRecorded>[0] extends Database<infer T> ? T : never;

async function run(db: Database<Tables>, options: Replay): Promise<string> {
  if (options.what === 'outbox') {
    const rows = await replay(db, options);
    return `${rows} event(s) of ${options.service} since ${options.since.toISOString()} will be published again.`;
  }
  const range = await replayRecorded(db, options.fromId);
  if (range === null) return `The intake of integrations has not reached event ${options.fromId}: nothing is replayed.`;
  return `The events ${range.first} to ${range.last} of the log will be delivered again, to each integration that lacks them.`;
}

try {
  const { DATABASE_URL, LOG_LEVEL, ...options } = readOptions(process.argv.slice(2));
  const db = createDatabase<Tables>({
    url: DATABASE_URL,
    schema: options.service,
    log: createLogger({ service: 'replay', level: LOG_LEVEL }),
    maxConnections: 1,
    applicationName: 'yardarm-replay',
  });
  try {
    console.log(await run(db, options));
  } finally {
    await db.close();
  }
} catch (error) {
  endCommand('replay', error, true);
  if (isOfOtherLogin(error)) console.error('Is DATABASE_URL the login of that service?');
}
