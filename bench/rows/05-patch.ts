import { alternating, atLeast, discounted } from '../measurement.ts';
import type { Row } from '../row.ts';
import { patchAndDrain, patchesPerSecond } from './patches.ts';

export const patches: Row = {
  number: '5',
  title: 'PATCH of a flag, beside unleash-server',
  async measure(bench) {
    const behind: string[] = [];
    const runs = await alternating(
      bench.runs,
      async () => {
        const patched = await patchAndDrain(bench, await bench.stage.yardarm('flags'));
        if (patched.behind) behind.push(patched.behind);
        return patched.perSecond;
      },
      // It has no webhook: it takes no address on loopback. That is so much less work for it.
      async () => patchesPerSecond(bench, await bench.stage.peer()),
    );
    const line = atLeast(2, runs, {
      row: '5',
      what: 'PATCH',
      unit: 'answers/s',
      remark: 'baseline: unleash-server 8.2',
    });
    return [discounted(line, behind)];
  },
};
