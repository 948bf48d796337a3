import { alternating, atLeast } from '../measurement.ts';
import type { Row } from '../row.ts';
import { patch } from './patches.ts';

export const patches: Row = {
  number: '5',
  title: 'PATCH of a flag, beside unleash-server',
  async measure(bench) {
    const behind: string[] = [];
    const runs = await alternating(
      bench.runs,
      async () => {
        const patched = await patch(bench, await bench.stage.yardarm('flags'), { isDrainAsked: true });
        if (patched.behind) behind.push(patched.behind);
        return patched.perSecond;
      },
      async () => (await patch(bench, await bench.stage.peer(), { isDrainAsked: false })).perSecond,
    );
    const line = atLeast(2, runs, {
      row: '5',
      what: 'PATCH',
      unit: 'answers/s',
      remark: 'baseline: unleash-server 8.2',
    });
    // What has not arrived in time does not count.
    return behind.length === 0 ? [line] : [{ ...line, holds: false, remark: `not drained: ${behind.join('; ')}` }];
  },
};
