import { commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';

/** Every setting of the process. The table in README.md lists the same settings. */
export const settings = { ...commonSettings, ...databaseSettings };

export type FlagsConfig = ReturnType<typeof loadFlagsConfig>;

export function loadFlagsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
