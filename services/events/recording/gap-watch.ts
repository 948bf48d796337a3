import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../db/schema.ts';
import { type Gap, overdueGaps } from './gap.ts';
import { findAllNumbers } from './recordings.repo.ts';

/** A gap is told after a minute; a quarter of one more is no later. */
const lookMs = 15_000;

/** Logs an error when more numbers of a source are missing than at the last look. */
export function watchGaps(db: Database<EventsTables>, log: Logger): () => void {
  const told = new Map<string, number>();
  const timer = setInterval(() => {
    reportGaps(db, log, told, new Date()).catch((error: unknown) => log.debug({ err: error }, 'gaps cannot be read'));
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** One look; `told` holds how many numbers of each source were missing at the last one. */
export async function reportGaps(
  db: Database<EventsTables>,
  log: Logger,
  told: Map<string, number>,
  now: Date,
): Promise<void> {
  for (const { source, missing, first } of await findGaps(db, now)) {
    if (missing > (told.get(source) ?? 0)) {
      log.error({ source, missing, first }, "events of a source did not arrive: replay that source's outbox");
    }
    told.set(source, missing);
  }
}

/** Of each source, how many of its numbers have not arrived within a minute, and the first range of them. */
export async function findGaps(
  db: Database<EventsTables>,
  now: Date,
): Promise<{ source: string; missing: number; first: Gap | undefined }[]> {
  return [...(await findAllNumbers(db.kysely))].map(([source, numbers]) => {
    const gaps = overdueGaps(numbers, now);
    return { source, missing: gaps.reduce((sum, { first, last }) => sum + last - first + 1, 0), first: gaps[0] };
  });
}
