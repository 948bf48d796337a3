import { commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';

/** Every setting of the process; the table in README.md lists the same. */
export const settings = { ...commonSettings, ...databaseSettings };

export type FlagsConfig = ReturnType<typeof loadFlagsConfig>;

/** Reads the environment by the settings. Throws ConfigError naming every fault. */
export function loadFlagsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
