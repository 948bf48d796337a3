import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '../load/load.ts';
import { alternating, atMost, discounted, type Line, notMeasured, percentile } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { ownCores, pin } from '../system/cores.ts';
import { startReplica } from '../system/replica.ts';
import { openEndpoints, openSignalStore } from '../system/signals.ts';
import { sendSignals, smallBody, warmupSeconds } from './signals.ts';

/** Some ten thousand listings, of which a hundred are slower than the p99. */
const seconds = 20;
const warmupListings = 200;
/** How much longer the signals last: their generator and the reader of the listing start at different speeds. */
const marginSeconds = 6;

const named = { row: '6b', what: 'listing beside signals', unit: 'ms, p99' };

export const listingBesideSignals: Row = {
  number: '6b',
  title: 'listing while a signals-only gateway takes the load of row 6',
  async measure(bench) {
    const cores = ownCores();
    const [core, ...others] = cores;
    if (core === undefined || others.length === 0)
      return [notMeasured({ ...named, goal: '<= 1.25', remark: 'needs Linux and two cores' })];
    await bench.stage.stopRunning();
    // Everything that this process starts from now on inherits these cores.
    await pin(process.pid, others);
    try {
      return [await measureOn(bench, core)];
    } finally {
      await bench.stage.stopRunning();
      await pin(process.pid, cores);
    }
  },
};

/** Measures with the gateway of the listing and its reader on that core. */
async function measureOn(bench: Bench, core: number): Promise<Line> {
  const yardarm = await bench.stage.yardarm('signals');
  await pin(yardarm.services().get('gateway')!, [core]);
  const [endpoint] = await openEndpoints(yardarm.api);
  const store = await openSignalStore(yardarm);
  const gateway = await startReplica(yardarm, 'gateway', { GATEWAY_ROUTE_GROUPS: 'signals' });
  const duration = bench.seconds(seconds);
  const request = { url: `${yardarm.url}/api/client/features`, headers: { authorization: yardarm.sdkToken } };
  const listings = async () => {
    const requests = [{ ...request, status: 200 }];
    const limits = { warmup: warmupListings, count: Number.POSITIVE_INFINITY, seconds: duration };
    const { toLastByte } = await runLoad({ kind: 'latencies', requests, ...limits }, (pid) => pin(pid, [core]));
    return percentile(toLastByte, 99);
  };
  const missing: string[] = [];
  const rates: number[] = [];
  const besideSignals = async () => {
    let isLoaded = true;
    const load = { endpoint: endpoint!, gateway: gateway.url, body: smallBody, seconds: duration + marginSeconds };
    const sending = sendSignals(bench, load).finally(() => {
      isLoaded = false;
    });
    const reading = sleep(bench.seconds(warmupSeconds) * 1_000).then(async () => {
      const p99 = await listings();
      if (!isLoaded) throw new Error('the signals ended before the listings');
      return p99;
    });
    const [{ count, seconds: took }, p99] = await Promise.all([sending, reading]);
    rates.push(count / took);
    const notStored = await store.drain();
    if (notStored) missing.push(notStored);
    return p99;
  };
  try {
    const runs = await alternating(bench.runs, besideSignals, listings);
    const remark = `gateway and reader of the listing on a core of their own; ${Math.round(Math.min(...rates))} signals/s or more`;
    return discounted(atMost(1.25, runs, { ...named, remark }), missing);
  } finally {
    await gateway.stop();
    await store.close();
  }
}
