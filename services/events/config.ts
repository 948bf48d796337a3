import { commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';

export const settings = { ...commonSettings, ...databaseSettings };

export type EventsConfig = ReturnType<typeof loadEventsConfig>;

/** Reads the settings of the events service; throws ConfigError with every fault. */
export function loadEventsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
