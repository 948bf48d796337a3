import { commonSettings, databaseSettings, integer, loadConfig } from '@yardarm/shared/config';
import { z } from 'zod';

export const settings = {
  ...commonSettings,
  ...databaseSettings,
  EVENTS_HEAD_EVERY_MINUTES: integer(1, 1_440)
    // What is rewritten between two heads does not show; an hour of them is a line in the log each.
    .default(60)
    .describe('How often the hash of the newest event is told, by which a rewritten log shows'),
  EVENTS_HEAD_FILE: z
    .string()
    .optional()
    .describe(
      'A file to which each of these, and what retention drops, is appended as well; best where whoever may change the database may not write',
    ),
  EVENTS_RETENTION_DAYS: integer(8, 36_500)
    .optional()
    .describe('Events are dropped, a partition at a time, when all of it is older than this; forever unless set'),
};

export type EventsConfig = ReturnType<typeof loadEventsConfig>;

/** Reads the settings of the events service; throws ConfigError with every fault. */
export function loadEventsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
