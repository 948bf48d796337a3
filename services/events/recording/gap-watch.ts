import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../db/schema.ts';
import { sourceGaps } from '../metrics.ts';
import { overdueGaps } from './gap.ts';
import { findAllNumbers } from './recordings.repo.ts';

/** A gap is told after a minute; a quarter of one more is no later. */
const lookMs = 15_000;

/** Tells of numbers that every source's events are missing: a gauge by source, and an error in the log when it has changed. */
export function watchGaps(db: Database<EventsTables>, log: Logger): () => void {
  const told = new Map<string, number>();
  const timer = setInterval(() => {
    tellGaps(db, log, told, new Date()).catch((error: unknown) => log.debug({ err: error }, 'gaps cannot be read'));
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** One look; `told` holds how many numbers of each source were missing at the last one. */
export async function tellGaps(
  db: Database<EventsTables>,
  log: Logger,
  told: Map<string, number>,
  now: Date,
): Promise<void> {
  for (const [source, numbers] of await findAllNumbers(db.kysely)) {
    const gaps = overdueGaps(numbers, now);
    const missing = gaps.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    sourceGaps.set({ source }, missing);
    if (missing > (told.get(source) ?? 0)) {
      log.error({ source, missing, first: gaps[0] }, "events of a source did not arrive: replay that source's outbox");
    }
    told.set(source, missing);
  }
}
