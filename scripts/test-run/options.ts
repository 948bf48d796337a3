import { statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { z } from 'zod';

/**
 * How deep tests go: `short` in `npm test`, `long` in `npm run test:long`. The long one has every run of the property
 * tests and every combination of the matrices.
 */
export type Depth = 'short' | 'long';

const memoryFolder = '/dev/shm';

/** What the files of a run take: some ten databases of 13 MB at once, 1 GB of WAL, streams, and as much again. */
const neededBytes = 4 * 1024 ** 3;

/**
 * The settings of a test run. `YARDARM_TEST_DEPTH` is its depth. `YARDARM_TEST_SEED` is the seed of the property tests:
 * a long run chooses a new one unless it is set, a short one always has the same.
 */
export function testRunOptions(environment: NodeJS.ProcessEnv = process.env): { depth: Depth; seed: number } {
  const schema = z.object({
    YARDARM_TEST_DEPTH: z.enum(['short', 'long']).default('short'),
    YARDARM_TEST_SEED: z.coerce.number().int().optional(),
  });
  const { YARDARM_TEST_DEPTH: depth, YARDARM_TEST_SEED: given } = schema.parse(environment);
  // fast-check takes seeds of 32 bits.
  return { depth, seed: given ?? (depth === 'long' ? Math.floor(Math.random() * 2 ** 31) : 1) };
}

/**
 * Puts the temporary files of this process and its children into memory where there is room. A database that is cloned
 * there takes 30 ms, and on a disk 300 ms, because it consists of a thousand files. Does nothing if TMPDIR is set.
 */
export function useMemoryForTemporaryFiles(environment: NodeJS.ProcessEnv = process.env): void {
  if (environment.TMPDIR !== undefined) return;
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    if (bavail * bsize >= neededBytes && freemem() >= 2 * neededBytes) environment.TMPDIR = memoryFolder;
  } catch {
    // Not a Linux with /dev/shm.
  }
}
