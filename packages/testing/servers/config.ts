import { z } from 'zod';

/** Which servers tests run on: `docker` and `embedded` force one, otherwise Docker where it answers. */
export function forcedKind(environment: NodeJS.ProcessEnv = process.env): 'docker' | 'embedded' | undefined {
  const given = environment.YARDARM_TEST_SERVERS || undefined;
  const parsed = z.enum(['docker', 'embedded']).optional().safeParse(given);
  if (!parsed.success) throw new Error(`YARDARM_TEST_SERVERS should be docker or embedded, and is ${given}`);
  return parsed.data;
}
