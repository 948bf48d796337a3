import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../db/schema.ts';
import { type Gap, overdueGaps } from './gap.ts';
import { findAllNumbers } from './recordings.repo.ts';

/** A gap is overdue after a minute. A quarter of that is a small delay. */
const checkEveryMs = 15_000;

/** Logs an error when more numbers of a source are missing than before. Returns the function that ends this. */
export function watchGaps(db: Database<EventsTables>, log: Logger): () => void {
  const reported = new Map<string, number>();
  const timer = setInterval(() => {
    reportGaps(db, log, reported, new Date()).catch((error: unknown) =>
      log.debug({ err: error }, 'gaps cannot be read'),
    );
  }, checkEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** `reported` holds the number of missing numbers per source at the last check. */
export async function reportGaps(
  db: Database<EventsTables>,
  log: Logger,
  reported: Map<string, number>,
  now: Date,
): Promise<void> {
  for (const { source, missing, first } of await findGaps(db, now)) {
    if (missing > (reported.get(source) ?? 0)) {
      log.error({ source, missing, first }, "events of a source did not arrive: replay that source's outbox");
    }
    reported.set(source, missing);
  }
}

/** Per source, the count of overdue numbers and the first range of them. */
export async function findGaps(
  db: Database<EventsTables>,
  now: Date,
): Promise<{ source: string; missing: number; first: Gap | undefined }[]> {
  return [...(await findAllNumbers(db.kysely))].map(([source, numbers]) => {
    const gaps = overdueGaps(numbers, now);
    return { source, missing: gaps.reduce((sum, { first, last }) => sum + last - first + 1, 0), first: gaps[0] };
  });
}
