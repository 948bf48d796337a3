// Verifies the log by its chain, and compares exported heads with it. It reads the database and not the service, so
// that it can run on a copy, for a user who trusts neither.
//
// Exit codes:
// 0  the log is what was recorded
// 1  it is not, or could not be read
// 2  the arguments or settings are wrong, or the range has no event
// 3  the log is what was recorded, but heads could not be compared: there are none in the folder, or their events
//    were dropped

import { checkHeads, verifyLog } from '@yardarm/events/verify-log';
import { createDatabase } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { endCommand, isOfOtherLogin } from './command.ts';
import { readOptions } from './verify-log/options.ts';

type Log = Parameters<typeof verifyLog>[0];
type Options = Awaited<ReturnType<typeof readOptions>>;

/** Verifies the log, and returns the exit code of the process. */
async function verify(log: Log, options: Options): Promise<number> {
  return (await verifyRange(log, options)) || verifyHeads(log, options);
}

async function verifyRange(log: Log, { from, to, isWhole }: Options): Promise<number> {
  let first: number | null = null;
  let verified = 0;
  for (let next = from; ; ) {
    const part = await verifyLog(log, { from: next, to });
    first ??= part.from;
    verified += part.verified;
    if (part.firstBroken !== null) {
      const { id, reason } = part.firstBroken;
      console.log(`Event ${id} is the first that is not what was recorded. ${reason}`);
      return 1;
    }
    if (part.next === null) {
      const count = part.to - first + 1;
      if (first > from) console.log(`The log begins with event ${first}: the events before it were dropped.`);
      if (count > verified)
        console.log(`${count - verified} event(s) were recorded without a hash by an earlier version: not verified.`);
      if (count > 0) {
        console.log(
          `${verified} event(s) from ${first} to ${part.to} are what was recorded; head ${part.head.id}:${part.head.hash}`,
        );
        return 0;
      }
      console.log(`There is no event ${isWhole ? 'in the log' : 'in that range'}: the log ends with ${part.head.id}.`);
      return isWhole ? 0 : 2;
    }
    next = part.next;
  }
}

const withoutHeads = 'a rewrite that computes all hashes again is not found';

async function verifyHeads(log: Log, { heads, exported, paths }: Options): Promise<number> {
  if (heads.length === 0 && exported === null) {
    console.log(`No heads were compared (EVENTS_HEADS_DIR, --heads): ${withoutHeads}.`);
    return 0;
  }
  const { broken, matched, newest, gone, droppedUpTo, restores } = await checkHeads(log, heads, exported);
  for (const { at, id, lost } of restores) {
    console.log(`The database was restored at ${at}, up to event ${id}: ${lost} line(s) are of events that this lost.`);
  }
  if (broken !== null) {
    console.log(`Event ${broken.id} is not what was exported. ${broken.reason}`);
    return 1;
  }
  if (matched > 0) console.log(`${matched} head(s) match the log, the newest is that of event ${newest}.`);
  if (matched === 0 && gone === 0) {
    console.log(`There are no heads in ${paths.join(', ')}: ${withoutHeads}.`);
    return (await verifyLog(log, { from: 1, to: 1 })).head.id > 0 ? 3 : 0;
  }
  if (gone === 0) return 0;
  console.log(`${gone} head(s) cannot be compared: the events up to ${droppedUpTo} were dropped.`);
  console.log(
    exported === null
      ? 'Only a file of heads (EVENTS_HEADS_DIR, --heads) shows whether retention dropped them.'
      : 'A file of heads records that retention dropped them.',
  );
  return exported === null ? 3 : 0;
}

try {
  const options = await readOptions(process.argv.slice(2));
  const db = createDatabase<object>({
    url: options.DATABASE_URL,
    schema: 'events',
    log: createLogger({ service: 'verify-log', level: options.LOG_LEVEL }),
    maxConnections: 1,
    applicationName: 'yardarm-verify-log',
  });
  try {
    process.exitCode = await verify(db as Log, options);
  } finally {
    await db.close();
  }
} catch (error) {
  endCommand('verify-log', error, true);
  if (isOfOtherLogin(error)) console.error('Is DATABASE_URL the login of events?');
}
