import { alternating, atLeast, discounted } from '../measurement.ts';
import type { Row } from '../row.ts';
import { patchAndDrain, patchesPerSecond } from './patches.ts';

export const patches: Row = {
  number: '5',
  title: 'PATCH of a flag, beside unleash-server',
  async measure(bench) {
    const missing: string[] = [];
    const runs = await alternating(
      bench.runs,
      async () => {
        const patched = await patchAndDrain(bench, await bench.stage.yardarm('flags'));
        if (patched.missing) missing.push(patched.missing);
        return patched.perSecond;
      },
      // Without a webhook, since it accepts no loopback address. This is less work for the baseline.
      async () => patchesPerSecond(bench, await bench.stage.peer()),
    );
    const line = atLeast(2, runs, {
      row: '5',
      what: 'PATCH',
      unit: 'answers/s',
      remark: 'baseline: unleash-server 8.2',
    });
    return [discounted(line, missing)];
  },
};
