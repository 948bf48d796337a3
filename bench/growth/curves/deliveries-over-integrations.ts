import { median, repeated } from '../../measurement.ts';
import { patchAndDrain } from '../../rows/patches.ts';
import { productCpuMs } from '../../system/cpu-by-part.ts';
import { type Growth, pointsOf } from '../curve.ts';

/** From 1 to the 16 of row 5e. */
const counts = [1, 2, 4, 8, 16];
/** From the goal of row 5e. */
const furtherMs = 0.35;

export const deliveriesOverIntegrations: Growth = {
  name: 'deliveries-over-integrations',
  title: 'CPU of a change until all is delivered',
  x: 'integrations that get each change',
  unit: 'ms',
  baseline: `the first, and ${furtherMs} ms for each further one`,
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const points = await pointsOf(counts, async (webhooks) => {
      const runs = await repeated(bench.runs, async () =>
        productCpuMs((await patchAndDrain(bench, yardarm, webhooks)).cpuMs),
      );
      return { figure: median(runs.subject), baseline: 0 };
    });
    const [first] = points;
    return points.map((point) => ({ ...point, baseline: first!.figure + furtherMs * (point.x - 1) }));
  },
};
