import { openConsole, type Product } from '../browser/open-console.ts';
import { alternating, atMost } from '../measurement.ts';
import type { Row } from '../row.ts';
import { flagNames } from '../system/flags.ts';

/** From the goal: a quarter of the CPU, 10 Mbit/s and 40 ms. */
const cpuFactor = 4;
const network = { offline: false, latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 };

export const firstRows: Row = {
  number: '22',
  title: 'the first rows of the list of flags in a slow browser, beside unleash-server',
  async measure(bench) {
    const runs = await alternating(
      bench.runs,
      async () => secondsUntilRows(await bench.stage.yardarm('flags')),
      async () => secondsUntilRows(await bench.stage.peer()),
    );
    const named = { row: '22', unit: 's', remark: 'CPU at a quarter, 10 Mbit/s, 40 ms, nothing cached' };
    return [
      atMost(1.5, { ...runs, baseline: [] }, { ...named, what: 'first rows of the flags' }),
      atMost(0.5, runs, { ...named, what: 'first rows, beside unleash-server 8.2' }),
    ];
  },
};

/** From the begin of the navigation until a flag of the project is painted. */
async function secondsUntilRows(product: Product): Promise<number> {
  const console = await openConsole(product);
  try {
    const page = await console.open('/projects/default', async (empty) => {
      const session = await empty.context().newCDPSession(empty);
      await session.send('Network.enable');
      await session.send('Network.setCacheDisabled', { cacheDisabled: true });
      await session.send('Network.emulateNetworkConditions', network);
      await session.send('Emulation.setCPUThrottlingRate', { rate: cpuFactor });
    });
    const prefix = flagNames[0]!.slice(0, -4);
    return (await page.evaluate<number>(`bench.untilShown('${prefix}')`)) / 1_000;
  } finally {
    await console.close();
  }
}
