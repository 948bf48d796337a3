import { runLoad } from '../load/load.ts';
import { startReceiver } from '../load/receiver.ts';
import { atMost, notMeasured } from '../measurement.ts';
import type { Row } from '../row.ts';
import { flagNames } from '../system/flags.ts';
import { proportionalSize } from '../system/memory.ts';

/** From the goal. */
const seconds = 60;
/** Concurrent reads of many SDKs and writes of a busy team, each below the machine's capacity. */
const readers = 8;
const writers = 4;

const named = { row: '14', what: 'memory of the six services', unit: 'MB, PSS' };
const goal = 450;

export const memory: Row = {
  number: '14',
  title: 'memory after a minute of traffic',
  async measure(bench) {
    // Fresh processes without memory from earlier rows. The first start fills the compile cache: while the cache is
    // empty, each process also loads the code that strips types.
    await bench.stage.yardarm('flags');
    await bench.stage.stopRunning();
    const { url, api, adminToken, sdkToken, services } = await bench.stage.yardarm('flags');
    const receiver = await startReceiver();
    const webhook = await api.makeWebhook(receiver.url);
    const duration = { warmupSeconds: 1, seconds: bench.seconds(seconds) };
    const request = { url: `${url}/api/client/features`, headers: { authorization: sdkToken }, status: 200 };
    const features = `${url}/api/admin/projects/default/features`;
    await Promise.all([
      runLoad({ kind: 'throughput', request, connections: readers, ...duration }),
      runLoad({
        kind: 'patches',
        url: features,
        token: adminToken,
        flags: flagNames,
        connections: writers,
        ...duration,
      }),
    ]);
    const each = [...services()].map(([name, pid]): [string, number] => [name, proportionalSize(pid)]);
    await api.call('DELETE', `/api/admin/addons/${webhook}`);
    await receiver.stop();
    if (each.length !== 6) return [notMeasured({ ...named, goal: `<= ${goal}`, remark: 'Linux only' })];
    const total = each.reduce((sum, [, megabytes]) => sum + megabytes, 0);
    const remark = each.map(([name, megabytes]) => `${name} ${Math.round(megabytes)}`).join(', ');
    return [atMost(goal, { subject: [total], baseline: [] }, { ...named, remark })];
  },
};
