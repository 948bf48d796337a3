import { openCopies } from '../../baselines/inserts.repo.ts';
import { median } from '../../measurement.ts';
import { measureRecording, openPath, rowsPerInsert } from '../../rows/07-recording.ts';
import { fillLog, logSize } from '../../system/log.ts';
import { type Growth, pointsOf } from '../curve.ts';

/** 10^7 rows are 10 GB and half an hour of copies: more than the other curves take together. */
const sizes = [10_000, 100_000, 1_000_000];

export const recordingOverLog: Growth = {
  name: 'recording-over-log',
  title: 'Events from the stream to the log and to the intake of integrations',
  x: 'events in the log',
  unit: 'per second',
  baseline: `the same rows inserted into an empty table, ${rowsPerInsert} a statement`,
  async measure(bench) {
    // The log of this dataset has a million events already: the curve begins with an empty one.
    const yardarm = await bench.stage.yardarm('growing');
    const path = await openPath(yardarm);
    const copies = await openCopies(yardarm.databaseUrl);
    let run = 0;
    try {
      return await pointsOf(sizes, async (size) => {
        await fillLog(yardarm, bench.amount(size));
        const recorded: number[] = [];
        const inserted: number[] = [];
        for (let n = 0; n < bench.runs; n += 1) {
          const afterId = await logSize(yardarm);
          recorded.push((await measureRecording(bench, yardarm, path, run)).recording);
          inserted.push(await copies.insert({ afterId, batch: rowsPerInsert }));
          run += 1;
        }
        return { figure: median(recorded), baseline: median(inserted) };
      });
    } finally {
      await Promise.all([copies.close(), path.close()]);
    }
  },
};
