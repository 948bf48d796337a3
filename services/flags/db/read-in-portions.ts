import { type RawBuilder, sql, type Transaction } from '@yardarm/shared/db';
import type { TimeSlicer } from '@yardarm/shared/waiting';
import type { FlagsTables } from './schema.ts';

/** How many rows are fetched at once: few at first, since a flag may have 450 kB, and at most 50. */
const firstPortion = 2;
const maxPortion = 50;
/** As long as two slices of `TimeSlicer`. A reader that works longer on a portion gets half of it. */
const portionMs = 4;
/** How many portions are fetched before the first of them has arrived. */
const portionsAhead = 2;

/**
 * The rows of a query in portions, from one cursor, so at one moment. Postgres works on the next portions while the
 * caller uses one. The slicer lets other requests run between them. A transaction has one such reader at a time, which
 * reads to the end.
 */
export async function* readInPortions<Row>(
  trx: Transaction<FlagsTables>,
  query: RawBuilder<Row>,
  slicer: TimeSlicer,
): AsyncGenerator<Row[]> {
  trx.pipeline(sql`declare portions no scroll cursor for ${query}`);
  const fetch = (count: number) => {
    const answer = sql<Row>`fetch ${sql.raw(String(count))} from portions`.execute(trx);
    // Its error is thrown where it is awaited, which may be never.
    answer.catch(() => {});
    return { count, answer };
  };
  const sent = Array.from({ length: portionsAhead }, () => fetch(firstPortion));
  let portion = maxPortion;
  for (;;) {
    const { count, answer } = sent.shift()!;
    const { rows } = await answer;
    const isLast = rows.length < count;
    if (!isLast) sent.push(fetch(portion));
    const beganAt = performance.now();
    yield rows;
    if (isLast) return;
    const isLong = performance.now() - beganAt > portionMs;
    portion = isLong ? Math.max(1, Math.floor(count / 2)) : Math.min(maxPortion, count * 2);
    await slicer.next();
  }
}
