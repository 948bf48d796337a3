import { runLoad } from '../load/load.ts';
import { atMost, type Line, percentile, repeated } from '../measurement.ts';
import type { Row } from '../row.ts';
import { filledIntegration } from '../system/outcomes.ts';

const pagesPerRun = 1_000;
const warmup = 50;
/** From the goal, for a million outcomes. */
const deepOffset = 900_000;

export const integrationEvents: Row = {
  number: '9',
  title: 'pages of 1,000,000 outcomes of one integration',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('outcomes');
    const address = `${yardarm.url}/api/admin/addons/${await filledIntegration(yardarm)}/events`;
    const headers = { authorization: yardarm.adminToken };
    const lines: Line[] = [];
    for (const offset of [0, bench.amount(deepOffset)]) {
      const requests = [{ url: `${address}?limit=50&offset=${offset}`, headers, status: 200 }];
      const job = { kind: 'latencies', requests, warmup, count: bench.amount(pagesPerRun) } as const;
      const runs = await repeated(bench.runs, async () => percentile((await runLoad(job)).toLastByte, 99));
      const what = offset === 0 ? 'outcomes, first page' : `outcomes from offset ${offset}`;
      lines.push(atMost(25, runs, { row: '9', what, unit: 'ms, p99' }));
    }
    return lines;
  },
};
