import { z } from 'zod';

const settings = z.object({
  FAULTS_SEED: z.coerce.number().int().optional(),
});

export function faultsOptions(environment: Record<string, string | undefined> = process.env): { seed: number } {
  const { FAULTS_SEED } = settings.parse(environment);
  return { seed: FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32) };
}

const clockSettings = z.object({
  CLOCK_SKEW_MS: z.coerce.number().int().default(0),
});

/** By how much the wall clock of this process is to be wrong, in milliseconds. */
export function clockSkewMs(environment: Record<string, string | undefined> = process.env): number {
  return clockSettings.parse(environment).CLOCK_SKEW_MS;
}
