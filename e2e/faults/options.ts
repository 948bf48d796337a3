import { z } from 'zod';

const settings = z.object({
  FAULTS_SEED: z.coerce.number().int().optional(),
});

export function faultsOptions(environment: Record<string, string | undefined> = process.env): { seed: number } {
  const { FAULTS_SEED } = settings.parse(environment);
  return { seed: FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 32) };
}
