import { commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';
import { daySchema } from '@yardarm/shared/contracts';
import { type Publisher, publishers } from '@yardarm/shared/contracts/events';
import { helpIfAsked, UsageError } from '../command.ts';
import { withDatabaseLogin } from '../start/database-logins.ts';

const settings = { DATABASE_URL: databaseSettings.DATABASE_URL, LOG_LEVEL: commonSettings.LOG_LEVEL };

export const usage = `Usage: npm run replay -- outbox <service> <since>
       npm run replay -- recorded integrations <id>
  outbox    publishes again the events that ${publishers.slice(0, -1).join(', ')} or ${publishers.at(-1)} published since then
            (2026-01-31 or 2026-01-31T12:00:00Z), for a log that lacks them
  recorded  delivers again every event of the log from this id on, to each integration that lacks it
  DATABASE_URL is the login of that service; without it, the login of the installation that npm start runs on YARDARM_DATA_DIR.`;

export type Replay =
  | { what: 'outbox'; service: Publisher; since: Date }
  | { what: 'recorded'; service: 'integrations'; fromId: number };

export function readOptions(words: readonly string[], environment: Record<string, string | undefined> = process.env) {
  helpIfAsked(words, usage);
  const replay = readWords(words);
  return { ...replay, ...loadConfig(settings, withDatabaseLogin(replay.service, environment)) };
}

function readWords([what, service, from = '', ...more]: readonly string[]): Replay {
  if (more.length > 0) throw usageError(`${more[0]} is one argument too many.`);
  if (what === 'outbox') return { what, service: publisherOf(service), since: timeOf(from) };
  if (what === undefined) throw usageError('The first argument should be outbox or recorded.');
  if (what !== 'recorded') throw usageError(`${what} is neither outbox nor recorded.`);
  if (service !== 'integrations') throw usageError(`${service ?? 'Nothing'} is not a service that reads the log.`);
  if (!/^[1-9]\d{0,14}$/.test(from)) throw usageError(`${from || 'Nothing'} is not the id of an event.`);
  return { what, service, fromId: Number(from) };
}

function publisherOf(word: string | undefined) {
  const service = publishers.find((name) => name === word);
  if (service === undefined) throw usageError(`${word ?? 'Nothing'} is not a service that publishes.`);
  return service;
}

function timeOf(word: string): Date {
  const time = new Date(word);
  // A Date reads the 30th of February as the 2nd of March.
  const isDay = daySchema.safeParse(word.slice(0, '2026-01-31'.length)).success;
  if (!isDay || Number.isNaN(time.getTime())) throw usageError(`${word || 'Nothing'} is not a time.`);
  return time;
}

function usageError(reason: string): UsageError {
  return new UsageError(`${reason}\n${usage}`);
}
