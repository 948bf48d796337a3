import { z } from 'zod';

const settings = z.object({
  /** The schedule of faults of an earlier run, as it printed it. */
  FAULTS_SEED: z.coerce.number().int().optional(),
});

/** The settings of a run; a seed of its own unless one is given. */
export function faultsOptions(environment: Record<string, string | undefined> = process.env): { seed: number } {
  const { FAULTS_SEED } = settings.parse(environment);
  return { seed: FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32) };
}
