import { commonSettings, databaseSettings, integer, loadConfig } from '@yardarm/shared/config';
import { z } from 'zod';

export const settings = {
  ...commonSettings,
  ...databaseSettings,
  EVENTS_HEAD_EVERY_MINUTES: integer(1, 1_440)
    // A rewrite between two heads is not detected. One head per hour adds one line per hour to the process log.
    .default(60)
    .describe('Minutes between two exports of the newest hash, which reveals a rewritten log'),
  EVENTS_HEAD_FILE: z
    .string()
    .optional()
    .describe(
      'A file that also gets each exported hash and each drop of retention; best where no database administrator can write',
    ),
  EVENTS_RETENTION_DAYS: integer(8, 36_500)
    .optional()
    .describe('Retention drops a partition when all of its events are older than this; unset keeps events forever'),
};

export type EventsConfig = ReturnType<typeof loadEventsConfig>;

/** Throws ConfigError, which lists every fault. */
export function loadEventsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
