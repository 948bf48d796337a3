import { runLoad } from '../load/load.ts';
import { alternating, atMost, notMeasured } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { largeFlag, largestProject } from '../system/large-installation.ts';
import { type Dataset, largeInstallation, smallInstallation } from '../system/stage.ts';
import type { Yardarm } from '../system/yardarm.ts';

/** From the goal, with one listing a second and one SDK that streams. */
const changesPerSecond = 20;
const warmupSeconds = 5;
/** 600 changes, which take more than a second of CPU: a hundred times the unit in which it is counted. */
const seconds = 30;

/** The half of the small installation that is in its largest project. Each changes every 2.5 s. */
const flags = Array.from({ length: smallInstallation / 2 }, (_, n) => largeFlag(n + 1));

export const changeAmongMany: Row = {
  number: '11',
  title: 'one change with 10,000 flags, beside one with 100',
  async measure(bench) {
    const named = { row: '11', what: 'a change with 10,000 flags', unit: 'CPU ms' };
    if (process.platform !== 'linux') return [notMeasured({ ...named, goal: '<= 2', remark: 'Linux only' })];
    const on = (dataset: Dataset) => async () => cpuOfChange(bench, await bench.stage.yardarm(dataset));
    const runs = await alternating(bench.runs, on('large'), on('small'));
    const remark = `flags and gateway, with one listing a second and one stream; baseline: ${smallInstallation} flags`;
    return [atMost(2, runs, { ...named, remark: `${bench.amount(largeInstallation)} flags; ${remark}` })];
  },
};

/** The CPU time in ms of flags and gateway per change under the load of this row. Linux only. */
export async function cpuOfChange(bench: Bench, { url, adminToken, sdkToken, services }: Yardarm): Promise<number> {
  const gateway = services().get('gateway')!;
  const { cpuMsPerChange } = await runLoad({
    ...{ kind: 'streams', gateway: url, pid: gateway, cpuOf: [gateway, services().get('flags')!] },
    ...{ adminToken, sdkToken, project: largestProject, flags, isListingRead: true },
    ...{ clients: 1, silentClients: 0, changesPerSecond },
    ...{ warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) },
  });
  return cpuMsPerChange;
}
