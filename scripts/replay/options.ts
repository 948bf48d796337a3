import { commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';

const settings = { DATABASE_URL: databaseSettings.DATABASE_URL, LOG_LEVEL: commonSettings.LOG_LEVEL };

/** Services that publish from an outbox. What the log publishes goes on from a position of its own. */
const publishers = ['accounts', 'flags', 'integrations', 'signals'] as const;

export type ReplayOptions = ReturnType<typeof readOptions>;

export const usage = `Usage: node scripts/replay.ts <service> <since>
  service  ${publishers.join(', ')}
  since    2026-01-31 or 2026-01-31T12:00:00Z: events made since then are published again
  DATABASE_URL is the login of that service.`;

/** Wrong arguments, in words. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads arguments and environment; throws UsageError or ConfigError. */
export function readOptions(words: readonly string[], environment: Record<string, string | undefined> = process.env) {
  const service = publishers.find((name) => name === words[0]);
  if (service === undefined) throw new UsageError(`${words[0] ?? 'Nothing'} is no service that publishes.\n${usage}`);
  const since = new Date(/^\d{4}-\d\d-\d\d/.test(words[1] ?? '') ? words[1]! : Number.NaN);
  if (Number.isNaN(since.getTime())) throw new UsageError(`${words[1] ?? 'Nothing'} is no time.\n${usage}`);
  return { service, since, ...loadConfig(settings, environment) };
}
