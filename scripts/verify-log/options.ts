import { existsSync } from 'node:fs';
import path from 'node:path';
import { type ExportedHeads, noHeads, readHeadsIn } from '@yardarm/events/verify-log';
import { commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';
import { parseOptions, UsageError } from '../command.ts';
import { dataFolder, withDatabaseLogin } from '../start/database-logins.ts';

const settings = { DATABASE_URL: databaseSettings.DATABASE_URL, LOG_LEVEL: commonSettings.LOG_LEVEL };

export const usage = `Usage: npm run verify-log -- [--from <id>] [--to <id>] [--heads <path>]... [--head <id>:<hash>]...
  --from   the first event; default 1
  --to     the last event; default the last of the log
  --heads  a file of heads, or a folder with those of every replica: the log must have these events with these hashes. It may lack
           earlier events only where a file records that retention dropped them, and later ones only where a file records a restore.
           The default is EVENTS_HEADS_DIR; without DATABASE_URL, the folder of the system that npm start runs
  --head   a single head that was exported earlier
  DATABASE_URL is the login of events; without it, the login of the installation that npm start runs on YARDARM_DATA_DIR.`;

const options = {
  from: { type: 'string' },
  to: { type: 'string' },
  head: { type: 'string', multiple: true },
  heads: { type: 'string', multiple: true },
} as const;

export async function readOptions(
  words: readonly string[],
  environment: Record<string, string | undefined> = process.env,
) {
  const given = parseOptions(words, options, usage);
  const from = given.from === undefined ? 1 : idOf(given.from);
  const to = given.to === undefined ? undefined : idOf(given.to);
  if (to !== undefined && to < from) throw new UsageError(`--to ${to} is before --from ${from}.\n${usage}`);
  const heads = (given.head ?? []).map(headOf);
  const paths = given.heads ?? defaultPaths(environment);
  const parts: ExportedHeads[] = [];
  for (const headsPath of paths) parts.push(await readExported(headsPath, given.heads !== undefined));
  return {
    ...{ from, to, isWhole: given.from === undefined && to === undefined, heads, paths },
    /** Null without a path. Then it is unknown what retention has dropped. */
    exported: parts.length === 0 ? null : parts.reduce(combine),
    ...loadConfig(settings, withDatabaseLogin('events', environment)),
  };
}

function defaultPaths(environment: Record<string, string | undefined>): string[] {
  if (environment.EVENTS_HEADS_DIR) return [environment.EVENTS_HEADS_DIR];
  return environment.DATABASE_URL || environment.DATABASE_URL_FILE ? [] : [path.join(dataFolder(environment), 'heads')];
}

function idOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${text} is not the id of an event.\n${usage}`);
  return Number(text);
}

/** 32 bytes in base64url are 43 characters, after the version from version 2 on. */
function headOf(text: string): { id: number; hash: string } {
  const [, id, hash] = /^(\d+):((?:v2\.)?[\w-]{43})$/.exec(text) ?? [];
  if (id === undefined || hash === undefined) throw new UsageError(`${text} is not a head.\n${usage}`);
  return { id: idOf(id), hash };
}

async function readExported(file: string, isGiven: boolean): Promise<ExportedHeads> {
  // The service makes the folder when it exports the first head.
  if (!isGiven && !existsSync(file)) return noHeads();
  try {
    return await readHeadsIn(file);
  } catch (error) {
    throw new UsageError(`--heads ${file}: ${(error as Error).message}\n${usage}`);
  }
}

function combine(one: ExportedHeads, other: ExportedHeads): ExportedHeads {
  return {
    heads: [...one.heads, ...other.heads],
    dropped: [...one.dropped, ...other.dropped],
    restored: [...one.restored, ...other.restored],
  };
}
