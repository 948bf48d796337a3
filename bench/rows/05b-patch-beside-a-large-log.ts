import { alternating, atLeast, discounted } from '../measurement.ts';
import type { Row } from '../row.ts';
import type { Dataset } from '../system/stage.ts';
import { patchAndDrain } from './patches.ts';

export const patchesBesideALargeLog: Row = {
  number: '5b',
  title: 'PATCH of a flag with 1,000,000 events in the log',
  async measure(bench) {
    const missing: string[] = [];
    const on = (dataset: Dataset) => async () => {
      const patched = await patchAndDrain(bench, await bench.stage.yardarm(dataset));
      if (patched.missing) missing.push(`${dataset}: ${patched.missing}`);
      return patched.perSecond;
    };
    const runs = await alternating(bench.runs, on('events'), on('flags'));
    const named = {
      row: '5b',
      what: 'PATCH, large log',
      unit: 'answers/s',
      remark: 'baseline: the same with a small log',
    };
    const line = atLeast(0.9, runs, named);
    return [discounted(line, missing)];
  },
};
