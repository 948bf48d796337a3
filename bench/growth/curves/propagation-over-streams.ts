import { runLoad, type Streamed } from '../../load/load.ts';
import { median, percentile } from '../../measurement.ts';
import type { Bench } from '../../row.ts';
import { flagNames } from '../../system/flags.ts';
import { type Growth, pointsBesideFirst, pointsOf } from '../curve.ts';

/** From the issue. */
const counts = [10, 100, 500, 1_000, 2_000];
/** As in row 17. */
const [changesPerSecond, warmupSeconds, seconds, goalMs] = [10, 5, 30, 100];

const x = 'SDKs that stream from one gateway';

export const propagationOverStreams: Growth = {
  name: 'propagation-over-streams',
  title: 'From the answer to a change until an SDK that streams has it',
  ...{ x, unit: 'ms, p99', baseline: 'goal of row 17' },
  measure: (bench) =>
    pointsOf(counts, async (clients) => {
      const delays = await measureStreams(bench, clients, (streamed) => percentile(streamed.delays, 99));
      return { figure: delays, baseline: goalMs };
    }),
};

export const changeOverStreams: Growth = {
  name: 'change-over-streams',
  title: 'CPU of a change in the gateway',
  ...{ x, unit: 'ms', baseline: 'the same with 10 streams' },
  measure: (bench) =>
    pointsBesideFirst(counts, (clients) => measureStreams(bench, clients, ({ cpuMsPerChange }) => cpuMsPerChange)),
};

/** The median of the runs of a figure. */
async function measureStreams(bench: Bench, clients: number, figure: (streamed: Streamed) => number): Promise<number> {
  const { url, adminToken, sdkToken, services } = await bench.stage.yardarm('flags');
  const pid = services().get('gateway')!;
  const figures: number[] = [];
  for (let run = 0; run < bench.runs; run += 1) {
    const streamed = await runLoad({
      ...{ kind: 'streams', gateway: url, pid, cpuOf: [pid], isListingRead: false, adminToken, sdkToken },
      ...{ project: 'default', flags: flagNames, clients, silentClients: 0, changesPerSecond },
      ...{ warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) },
    });
    figures.push(figure(streamed));
  }
  return median(figures);
}
