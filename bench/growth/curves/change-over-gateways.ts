import { runLoad } from '../../load/load.ts';
import { median, repeated } from '../../measurement.ts';
import { type CpuByPart, startCpuByPart } from '../../system/cpu-by-part.ts';
import { flagNames } from '../../system/flags.ts';
import type { Replica } from '../../system/replica.ts';
import { startSecondGateway } from '../../system/second-gateway.ts';
import { type Growth, pointsBesideFirst } from '../curve.ts';

const counts = [1, 2, 4, 8];
/** 600 changes. */
const [changesPerSecond, seconds] = [20, 30];

/** What all gateways share. The others are counted with the gateways. */
const shared = ['flags', 'Postgres of flags', 'nats-server'];

export const changeOverGateways: Growth = {
  name: 'change-over-gateways',
  title: 'CPU of a change: flags, its Postgres and NATS',
  x: 'gateways, each with the environment in use',
  unit: 'ms',
  baseline: 'the same with one gateway',
  async measure(bench) {
    const { url, adminToken, sdkToken, ...yardarm } = await bench.stage.yardarm('flags');
    const gateways: Replica[] = [];
    try {
      return await pointsBesideFirst(counts, async (count) => {
        while (gateways.length < count - 1) {
          const folder = bench.stage.folder(`growth-gateway-${gateways.length}`);
          gateways.push(await startSecondGateway({ url, adminToken, sdkToken, ...yardarm }, folder));
        }
        const runs = await repeated(bench.runs, async () => {
          const end = startCpuByPart();
          const changes = changesPerSecond * bench.seconds(seconds);
          await runLoad({
            ...{ kind: 'streams', gateway: url, pid: yardarm.services().get('gateway')!, cpuOf: [] },
            ...{ adminToken, sdkToken, project: 'default', flags: flagNames, isListingRead: false, clients: 1 },
            ...{ silentClients: 0, changesPerSecond, warmupSeconds: 0, seconds: bench.seconds(seconds) },
          });
          return sharedMs(end()) / changes;
        });
        return median(runs.subject);
      });
    } finally {
      for (const gateway of gateways) await gateway.stop();
    }
  },
};

const sharedMs = (cpu: CpuByPart) => shared.reduce((sum, part) => sum + (cpu.get(part) ?? 0), 0);
