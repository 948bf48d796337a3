import { setTimeout as sleep } from 'node:timers/promises';
import { openConsole } from '../browser/open-console.ts';
import { atMost, percentile } from '../measurement.ts';
import type { Row } from '../row.ts';
import { flagNames } from '../system/flags.ts';

const changes = 200;
const warmup = 3;
/** No two changes are gathered. */
const betweenMs = 250;

export const changeOnScreen: Row = {
  number: '24',
  title: 'a PATCH by the API, until the console shows it',
  async measure(bench) {
    const { api, url } = await bench.stage.yardarm('flags');
    const flag = flagNames[0]!;
    const console = await openConsole({ api, url });
    const figures: number[] = [];
    try {
      for (let run = 0; run < bench.runs; run += 1) {
        const page = await console.open(`/projects/default/features/${flag}`);
        await page.getByRole('switch').first().waitFor();
        const times: number[] = [];
        for (let n = 0; n < warmup + bench.amount(changes); n += 1) {
          const value = `Change ${n} of run ${run} (${Date.now()})`;
          const seen = page.evaluate<number>(`bench.shownAt('${value}')`);
          await api.call('PATCH', `/api/admin/projects/default/features/${flag}`, [
            { op: 'replace', path: '/description', value },
          ]);
          const answeredAt = Date.now();
          times.push(Math.max(0, (await seen) - answeredAt));
          await sleep(betweenMs);
        }
        figures.push(percentile(times.slice(warmup), 99));
      }
    } finally {
      await console.close();
    }
    const runs = { subject: figures, baseline: [] };
    return [atMost(300, runs, { row: '24', what: 'PATCH answered -> seen in the console', unit: 'ms, p99' })];
  },
};
