import { z } from 'zod';

/** The kind of servers for tests: `docker` or `embedded` if forced; otherwise Docker is used where it answers. */
export function forcedKind(environment: NodeJS.ProcessEnv = process.env): 'docker' | 'embedded' | undefined {
  const value = environment.YARDARM_TEST_SERVERS || undefined;
  const parsed = z.enum(['docker', 'embedded']).optional().safeParse(value);
  if (!parsed.success) throw new Error(`YARDARM_TEST_SERVERS should be docker or embedded, and is ${value}`);
  return parsed.data;
}
