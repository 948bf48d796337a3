import { runLoad } from '../load/load.ts';
import { alternating, atLeast } from '../measurement.ts';
import type { Row } from '../row.ts';
import { flagCount } from '../system/flags.ts';

/** Until Node has compiled the hot code. */
const warmupSeconds = 3;
const seconds = 10;

export const evaluation: Row = {
  number: '12',
  title: 'evaluation of flags in process',
  async measure(bench) {
    const duration = { warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) };
    const runs = await alternating(
      bench.runs,
      () => runLoad({ kind: 'evaluations', by: 'yardarm', ...duration }),
      () => runLoad({ kind: 'evaluations', by: 'unleash-client', ...duration }),
    );
    const remark = `${flagCount} flags with two variants, a new user each time; baseline: unleash-client`;
    return [atLeast(3, runs, { row: '12', what: 'flags with variants', unit: 'evaluations/CPU s', remark })];
  },
};
