import { type Propagation, runLoad, type Seen } from '../load/load.ts';
import { atMost, percentile } from '../measurement.ts';
import type { Row } from '../row.ts';
import { flagNames } from '../system/flags.ts';
import { startSecondGateway } from '../system/second-gateway.ts';

/** From the goal. */
const writesPerSecond = 50;
const pollers = 20;
const warmupSeconds = 5;
const seconds = 30;

const places: [keyof Seen, string, number][] = [
  ['listing', 'in the listing of both gateways', 100],
  ['sdkStream', 'at an SDK that streams from each gateway', 100],
  ['stream', 'in the event stream of both gateways', 100],
  ['search', 'searchable', 150],
  ['webhook', 'webhook received', 250],
];

export const propagation: Row = {
  number: '10',
  title: 'a change, from its answer until it is visible',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const second = await startSecondGateway(yardarm, bench.stage.folder('second-gateway'));
    const seen: Seen[] = [];
    try {
      for (let run = 0; run < bench.runs; run += 1) {
        const { adminToken, sdkToken } = yardarm;
        const job: Propagation = {
          kind: 'propagation',
          ...{ gateways: [yardarm.url, second.url], adminToken, sdkToken, flags: flagNames },
          ...{ writesPerSecond, pollers, warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) },
        };
        seen.push(await runLoad(job));
      }
    } finally {
      await second.stop();
    }
    const remark = `${writesPerSecond} writes/s, ${pollers} pollers, every 250 ms each`;
    return places.map(([place, description, goal]) => {
      const runs = { subject: seen.map((run) => percentile(run[place], 99)), baseline: [] };
      return atMost(goal, runs, { row: '10', what: `PATCH answered -> ${description}`, unit: 'ms, p99', remark });
    });
  },
};
