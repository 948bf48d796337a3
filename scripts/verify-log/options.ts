import { parseArgs } from 'node:util';
import { commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';

const settings = { DATABASE_URL: databaseSettings.DATABASE_URL, LOG_LEVEL: commonSettings.LOG_LEVEL };

export const usage = `Usage: npm run verify-log -- [--from <id>] [--to <id>] [--head <id>:<hash>]...
  --from  the first event, 1 unless said
  --to    the last event, that of the log unless said
  --head  a head that was exported earlier: the log must still have that event with that hash
  DATABASE_URL is the login of the events service.`;

/** Wrong arguments, in words. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads arguments and environment; throws UsageError or ConfigError. */
export function readOptions(words: readonly string[], environment: Record<string, string | undefined> = process.env) {
  const { from, to, head = [] } = parse(words);
  return {
    from: from === undefined ? 1 : idOf(from),
    to: to === undefined ? undefined : idOf(to),
    heads: head.map(headOf),
    ...loadConfig(settings, environment),
  };
}

function parse(words: readonly string[]) {
  try {
    const options = {
      from: { type: 'string' },
      to: { type: 'string' },
      head: { type: 'string', multiple: true },
    } as const;
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`);
  }
}

function idOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${text} is no id of an event.\n${usage}`);
  return Number(text);
}

/** 32 bytes in base64url are 43 characters. */
function headOf(text: string): { id: number; hash: string } {
  const [, id, hash] = /^(\d+):([\w-]{43})$/.exec(text) ?? [];
  if (id === undefined || hash === undefined) throw new UsageError(`${text} is no head.\n${usage}`);
  return { id: idOf(id), hash };
}
