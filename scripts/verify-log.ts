// Verifies the log of events by its chain of hashes, and holds heads that were exported earlier against it. Asks the database and not
// the service, so that it can be run on a copy, by somebody who trusts neither.
//
// Exit codes: 0 the log is what was recorded; 1 it is not, or could not be read; 2 the arguments or settings are wrong.

import { checkHeads, verifyLog } from '@yardarm/events/verify-log';
import { ConfigError } from '@yardarm/shared/config';
import { createDatabase } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { readOptions, UsageError } from './verify-log/options.ts';

type Log = Parameters<typeof verifyLog>[0];

async function verify(log: Log, { from, to, heads }: ReturnType<typeof readOptions>): Promise<boolean> {
  let verified = 0;
  for (let next: number | null = from; next !== null; ) {
    const part = await verifyLog(log, { from: next, to });
    verified += part.verified;
    if (part.firstBroken !== null) {
      console.log(
        `Event ${part.firstBroken.id} is the first that is not what was recorded. ${part.firstBroken.reason}`,
      );
      return false;
    }
    if (part.next === null)
      console.log(
        `${verified} event(s) up to ${part.to} are what was recorded; head ${part.head.id}:${part.head.hash}`,
      );
    next = part.next;
  }
  const rewritten = await checkHeads(log, heads);
  if (rewritten !== null) console.log(`Event ${rewritten.id} is not what was exported. ${rewritten.reason}`);
  return rewritten === null;
}

try {
  const options = readOptions(process.argv.slice(2));
  const db = createDatabase<object>({
    url: options.DATABASE_URL,
    schema: 'events',
    log: createLogger({ service: 'verify-log', level: options.LOG_LEVEL }),
    maxConnections: 1,
    applicationName: 'yardarm-verify-log',
  });
  try {
    if (!(await verify(db as Log, options))) process.exitCode = 1;
  } finally {
    await db.close();
  }
} catch (error) {
  const isWrong = error instanceof ConfigError || error instanceof UsageError;
  const { code, message } = error as { code?: string; message: string };
  // No such table, or no right to it: the login sees its own schema only.
  const advice = code === '42P01' || code === '42501' ? ': is DATABASE_URL the login of events?' : '';
  console.error(`verify-log: ${message}${advice}`);
  process.exitCode = isWrong ? 2 : 1;
}
