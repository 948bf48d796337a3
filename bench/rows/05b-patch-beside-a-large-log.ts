import { alternating, atLeast } from '../measurement.ts';
import type { Row } from '../row.ts';
import type { Ground } from '../system/stage.ts';
import { patch } from './patches.ts';

export const patchesBesideALargeLog: Row = {
  number: '5b',
  title: 'PATCH of a flag with 1,000,000 events in the log',
  async measure(bench) {
    const behind: string[] = [];
    const on = (ground: Ground) => async () => {
      const patched = await patch(bench, await bench.stage.yardarm(ground), { isDrainAsked: true });
      if (patched.behind) behind.push(`${ground}: ${patched.behind}`);
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
    return behind.length === 0 ? [line] : [{ ...line, holds: false, remark: `not drained: ${behind.join('; ')}` }];
  },
};
