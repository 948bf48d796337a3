import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ExportedHeads, readHeads } from '@yardarm/events/verify-log';
import { commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';
import { withDatabaseLogin } from '../start/database-logins.ts';

const settings = { DATABASE_URL: databaseSettings.DATABASE_URL, LOG_LEVEL: commonSettings.LOG_LEVEL };

export const usage = `Usage: npm run verify-log -- [--from <id>] [--to <id>] [--heads <file>]... [--head <id>:<hash>]...
  --from   the first event; default 1
  --to     the last event; default the last of the log
  --heads  a file of heads (EVENTS_HEAD_FILE) as the service wrote it, one per replica: the log must have these events with these
           hashes, and may lack earlier events only where the file records that retention dropped them
  --head   a single head that was exported earlier
  DATABASE_URL is the login of events; without it, the login of the installation that npm start runs on YARDARM_DATA_DIR.`;

/** Wrong arguments. The message has the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function readOptions(words: readonly string[], environment: Record<string, string | undefined> = process.env) {
  const given = parse(words);
  const from = given.from === undefined ? 1 : idOf(given.from);
  const to = given.to === undefined ? undefined : idOf(given.to);
  if (to !== undefined && to < from) throw new UsageError(`--to ${to} is before --from ${from}.\n${usage}`);
  return {
    ...{ from, to, isWhole: given.from === undefined && to === undefined },
    heads: (given.head ?? []).map(headOf),
    /** Null without a file. Then it is unknown what retention has dropped. */
    exported: given.heads === undefined ? null : given.heads.map(readExported).reduce(combine),
    ...loadConfig(settings, withDatabaseLogin('events', environment)),
  };
}

function parse(words: readonly string[]) {
  try {
    const options = {
      from: { type: 'string' },
      to: { type: 'string' },
      head: { type: 'string', multiple: true },
      heads: { type: 'string', multiple: true },
    } as const;
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`);
  }
}

function idOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${text} is not the id of an event.\n${usage}`);
  return Number(text);
}

/** 32 bytes in base64url are 43 characters. */
function headOf(text: string): { id: number; hash: string } {
  const [, id, hash] = /^(\d+):([\w-]{43})$/.exec(text) ?? [];
  if (id === undefined || hash === undefined) throw new UsageError(`${text} is not a head.\n${usage}`);
  return { id: idOf(id), hash };
}

function readExported(file: string): ExportedHeads {
  try {
    return readHeads(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--heads ${file}: ${(error as Error).message}\n${usage}`);
  }
}

function combine(one: ExportedHeads, other: ExportedHeads): ExportedHeads {
  return { heads: [...one.heads, ...other.heads], dropped: [...one.dropped, ...other.dropped] };
}
