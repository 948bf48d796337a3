import { atMost, median, repeated } from '../measurement.ts';
import type { Row } from '../row.ts';
import { productCpuMs } from '../system/cpu-by-part.ts';
import { patchAndDrain } from './patches.ts';

/** From the goal. */
const counts = [1, 4, 16];

export const patchesWithIntegrations: Row = {
  number: '5e',
  title: 'PATCH of a flag with 1, 4 and 16 integrations',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const cpuMs = new Map<number, number[]>();
    for (const webhooks of counts) {
      const { subject } = await repeated(bench.runs, async () => {
        const patched = await patchAndDrain(bench, yardarm, webhooks);
        if (patched.missing) bench.say(`  ${webhooks} integrations: ${patched.missing}`);
        return productCpuMs(patched.cpuMs);
      });
      cpuMs.set(webhooks, subject);
    }
    const alone = median(cpuMs.get(1)!);
    return counts.slice(1).map((webhooks) => {
      const subject = cpuMs.get(webhooks)!.map((ms) => (ms - alone) / (webhooks - 1));
      return atMost(
        0.35,
        { subject, baseline: [] },
        {
          ...{ row: '5e', what: `a further delivery, ${webhooks} integrations`, unit: 'ms of CPU' },
          remark: `until all is delivered, receiver not counted; a change with one integration takes ${alone.toFixed(2)} ms`,
        },
      );
    });
  },
};
