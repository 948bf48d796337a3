import { startReporters } from '../load/reporters.ts';
import { alternating, atLeast, discounted } from '../measurement.ts';
import type { Row } from '../row.ts';
import { patchAndDrain } from './patches.ts';

export const patchesWhileSdksReport: Row = {
  number: '5c',
  title: 'PATCH of a flag while 1,000 SDKs report usage',
  async measure(bench) {
    const missing: string[] = [];
    const patch = async () => {
      const patched = await patchAndDrain(bench, await bench.stage.yardarm('flags'));
      if (patched.missing) missing.push(patched.missing);
      return patched.perSecond;
    };
    const runs = await alternating(
      bench.runs,
      async () => {
        const reporters = startReporters(await bench.stage.yardarm('flags'));
        try {
          return await patch();
        } finally {
          bench.say(`${await reporters.stop()} reports were accepted`);
        }
      },
      patch,
    );
    // Unchanged, but for the noise of the measurement.
    const line = atLeast(0.95, runs, {
      ...{ row: '5c', what: 'PATCH, 1,000 SDKs report', unit: 'answers/s', remark: 'baseline: without reports' },
    });
    return [discounted(line, missing)];
  },
};
