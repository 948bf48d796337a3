import { z } from 'zod';

const settings = z.object({
  FAULTS_SEED: z.coerce.number().int().optional(),
  SOAK_MINUTES: z.coerce.number().positive().optional(),
});

export interface FaultsOptions {
  seed: number;
  /** How long the soak runs; undefined unless it is set. */
  soakMinutes: number | undefined;
}

export function faultsOptions(environment: Record<string, string | undefined> = process.env): FaultsOptions {
  const { FAULTS_SEED, SOAK_MINUTES } = settings.parse(environment);
  return { seed: FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32), soakMinutes: SOAK_MINUTES };
}

const clockSettings = z.object({
  CLOCK_SKEW_MS: z.coerce.number().int().default(0),
});

/** By how much the wall clock of this process is to be wrong, in milliseconds. */
export function clockSkewMs(environment: Record<string, string | undefined> = process.env): number {
  return clockSettings.parse(environment).CLOCK_SKEW_MS;
}
