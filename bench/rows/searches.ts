// Shared by rows 8 and 8b: the p99 of sequential searches on one connection.
import { type LoadRequest, runLoad } from '../load/load.ts';
import { percentile } from '../measurement.ts';
import type { Yardarm } from '../system/yardarm.ts';

export type Search = Record<string, string | number>;

/** Sends the searches in a cycle until `count` are answered; returns the p99 in ms. */
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
  return percentile((await runLoad({ kind: 'latencies', requests, warmup, count })).toLastByte, 99);
}
