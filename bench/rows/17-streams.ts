import { runLoad, type Streamed, type Streams } from '../load/load.ts';
import { atMost, notMeasured, percentile } from '../measurement.ts';
import type { Row } from '../row.ts';
import { flagNames } from '../system/flags.ts';

/** From the goal. */
const clients = 1_000;
const silentClients = 100;
const changesPerSecond = 10;
const warmupSeconds = 5;
const seconds = 30;

export const streams: Row = {
  number: '17',
  title: '1,000 SDKs that stream from one gateway',
  async measure(bench) {
    const seen: Streamed[] = [];
    for (let run = 0; run < bench.runs; run += 1) {
      // A fresh process: the growth is compared with a gateway that had no streams.
      await bench.stage.stopRunning();
      const { url, adminToken, sdkToken, services } = await bench.stage.yardarm('flags');
      const pid = services().get('gateway');
      if (pid === undefined)
        return [notMeasured({ row: '17', what: 'streams', unit: 'ms, p99', goal: '<= 100', remark: 'Linux only' })];
      const job: Streams = {
        kind: 'streams',
        ...{ gateway: url, pid, cpuOf: [], isListingRead: false, adminToken, sdkToken, project: 'default' },
        ...{ flags: flagNames, clients, silentClients, changesPerSecond },
        ...{ warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) },
      };
      seen.push(await runLoad(job));
    }
    const remark = `${clients} SDKs, ${silentClients} of them never read, ${changesPerSecond} changes/s`;
    const delays = { subject: seen.map((run) => percentile(run.delays, 99)), baseline: [] };
    const memory = { subject: seen.map(({ addedMegabytes }) => addedMegabytes), baseline: [] };
    return [
      atMost(100, delays, { row: '17', what: 'PATCH answered -> at the SDKs that read', unit: 'ms, p99', remark }),
      atMost(100, memory, { row: '17', what: 'memory of the gateway, more than before', unit: 'MB, PSS', remark }),
    ];
  },
};
