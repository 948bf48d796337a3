import { median, repeated } from '../../measurement.ts';
import { cpuOfChange } from '../../rows/11-change-among-many.ts';
import { type Growth, pointsBesideFirst } from '../curve.ts';

/** From the issue. */
const sizes = [100, 1_000, 10_000, 100_000];

export const changeOverFlags: Growth = {
  name: 'change-over-flags',
  title: 'CPU of a change: flags and gateway',
  x: 'small flags in five environments',
  unit: 'ms',
  baseline: 'the same with 100 flags',
  async measure(bench) {
    // A trial has as many everywhere: the changes need a hundred flags.
    return await pointsBesideFirst(sizes, async (flags) => {
      const yardarm = await bench.stage.yardarm(`small-flags-${Math.max(sizes[0]!, bench.amount(flags))}`);
      const runs = await repeated(bench.runs, () => cpuOfChange(bench, yardarm));
      return median(runs.subject);
    });
  },
};
