// What rows 8 and 8b have in common: searches one after the other on one connection, and what the slowest hundredth of them took.
import { type LoadRequest, runLoad } from '../load/load.ts';
import { percentile } from '../measurement.ts';
import type { Yardarm } from '../system/yardarm.ts';

/** A search as its body, `null` filters left out. */
export type Search = Record<string, string | number>;

/** Sends the searches in turn until `count` were answered; returns the p99 in ms. */
export async function searchP99(
  { url, adminToken }: Yardarm,
  searches: Search[],
  count: number,
  warmup: number,
): Promise<number> {
  const headers = { authorization: adminToken, 'content-type': 'application/json' };
  const requests = searches.map(
    (search): LoadRequest => ({
      ...{ url: `${url}/api/admin/events/search`, method: 'POST', headers, body: JSON.stringify(search), status: 200 },
    }),
  );
  return percentile(await runLoad({ kind: 'latencies', requests, warmup, count }), 99);
}
