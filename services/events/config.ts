import { commonSettings, databaseSettings, integer, loadConfig, streamSettings } from '@yardarm/shared/config';
import { z } from 'zod';

export const settings = {
  ...commonSettings,
  ...streamSettings,
  ...databaseSettings,
  EVENTS_HEAD_EVERY_MINUTES: integer(1, 1_440)
    // The process log may be kept elsewhere than the files of heads. A line an hour does not fill it.
    .default(60)
    .describe('Minutes between two heads of the log in the process log'),
  EVENTS_HEADS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder in which each replica appends heads of the log to a file of its own; no database administrator should be able to write there',
    ),
  EVENTS_RETENTION_DAYS: integer(8, 36_500)
    .optional()
    .describe('Retention drops a partition when all of its events are older than this; unset keeps events forever'),
};

export type EventsConfig = ReturnType<typeof loadEventsConfig>;

/** Throws ConfigError, which lists every problem. */
export function loadEventsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
