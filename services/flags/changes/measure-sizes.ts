import type { Database } from '@yardarm/shared/db';
import { onScrape } from '@yardarm/shared/telemetry';
import type { FlagsTables } from '../db/schema.ts';
import { largestEnvironment, largestProject } from '../metrics.ts';
import { findLargestSizes } from './sizes.repo.ts';

/** Serves the gauges of sizes. Returns a function that stops it. */
export function measureSizes(db: Database<FlagsTables>): () => void {
  return onScrape('sizes', async () => {
    const { environment, project } = await findLargestSizes(db.kysely);
    largestEnvironment.set(environment);
    largestProject.set(project);
  });
}
