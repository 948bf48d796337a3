import { alternating, atLeast, atMost, discounted, type Line, notMeasured } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { type CoreShares, openCoreShares } from '../system/core-shares.ts';
import { ownCores, pin } from '../system/cores.ts';
import { counterOf, healthUrlOf } from '../system/health.ts';
import { type Replica, startReplica } from '../system/replica.ts';
import { type Endpoint, openEndpoints, openSignalStore, type SignalStore } from '../system/signals.ts';
import type { Yardarm } from '../system/yardarm.ts';
import { connections, sendSignals, smallBody } from './signals.ts';

const seconds = 20;

/** Of a core for each process. Four of them leave half of two cores to NATS, Postgres and the load generators. */
const share = 0.25;

const storedCounter = 'yardarm_signals_stored_total';

const named = { row: '13', what: 'two gateways and two signals', unit: 'signals stored/s' };

interface Rig {
  bench: Bench;
  yardarm: Yardarm;
  endpoint: Endpoint;
  store: SignalStore;
  missing: string[];
}

export const twoOfEach: Row = {
  number: '13',
  title: 'two gateways and two signals, beside one of each',
  async measure(bench) {
    if (process.platform !== 'linux') return [notMeasured({ ...named, goal: '>= 1.8', remark: 'Linux only' })];
    const yardarm = await bench.stage.yardarm('signals');
    const [endpoint] = await openEndpoints(yardarm.api);
    const store = await openSignalStore(yardarm);
    const rig: Rig = { bench, yardarm, endpoint: endpoint!, store, missing: [] };
    const shares = openCoreShares(share);
    try {
      if (shares) return [await measureRatio(rig, shares)];
      const remark = 'no cgroup v2 that can limit CPU time';
      return [notMeasured({ ...named, goal: '>= 1.8', remark }), ...(await measureParts(rig))];
    } finally {
      await store.close();
      await bench.stage.stopRunning();
      shares?.remove();
    }
  },
};

/** Signals stored per second by two of each process and by one, each held to its share of a core. */
async function measureRatio(rig: Rig, shares: CoreShares): Promise<Line> {
  const { bench, yardarm, missing } = rig;
  const services = yardarm.services();
  for (const name of ['gateway', 'signals']) shares.hold(services.get(name)!);
  const byTwo = () =>
    withSecond(yardarm, async (gateway, signals) => {
      for (const { pid } of [gateway, signals]) shares.hold(pid);
      return (await send(rig, [yardarm.url, gateway.url])).perSecond;
    });
  const byOne = async () => (await send(rig, [yardarm.url])).perSecond;
  const runs = await alternating(bench.runs, byTwo, byOne);
  const remark = `${share} of a core for each process; baseline: one of each`;
  return discounted(atLeast(1.8, runs, { ...named, remark }), missing);
}

/** Which part of the work the busier of two processes did. The first two have a core, the second two another one. */
async function measureParts(rig: Rig): Promise<Line[]> {
  const { bench, yardarm, missing } = rig;
  const gateways: number[] = [];
  const stores: number[] = [];
  const services = yardarm.services();
  const firstHealth = healthUrlOf(services.get('signals')!);
  const [one, other = one] = ownCores();
  await withSecond(yardarm, async (gateway, signals) => {
    for (const pid of [services.get('gateway')!, services.get('signals')!]) await pin(pid, [one!]);
    for (const { pid } of [gateway, signals]) await pin(pid, [other!]);
    const stored = () => Promise.all([firstHealth, signals.healthUrl].map((url) => counterOf(url, storedCounter)));
    for (let run = 0; run < bench.runs; run += 1) {
      const before = await stored();
      const { answered } = await send(rig, [yardarm.url, gateway.url]);
      const storedByEach = (await stored()).map((count, n) => count - before[n]!);
      bench.say(`  the gateways answered ${answered.join(' and ')}, signals stored ${storedByEach.join(' and ')}`);
      gateways.push(largestPart(answered));
      stores.push(largestPart(storedByEach));
    }
  });
  const what = (noun: string, work: string) => `the busier of two ${noun}, its part of the ${work}`;
  const ofGateways = { row: '13', what: what('gateways', 'answers'), unit: '%' };
  const ofSignals = { row: '13', what: what('signals', 'stored signals'), unit: '%' };
  return [
    discounted(atMost(60, { subject: gateways, baseline: [] }, ofGateways), missing),
    discounted(atMost(60, { subject: stores, baseline: [] }, ofSignals), missing),
  ];
}

async function withSecond<T>(yardarm: Yardarm, fn: (gateway: Replica, signals: Replica) => Promise<T>): Promise<T> {
  const signals = await startReplica(yardarm, 'signals');
  try {
    const gateway = await startReplica(yardarm, 'gateway');
    try {
      return await fn(gateway, signals);
    } finally {
      await gateway.stop();
    }
  } finally {
    await signals.stop();
  }
}

/** The answers of each gateway, and the signals stored per second from the start of the load until the last one. */
async function send({ bench, endpoint, store, missing }: Rig, gateways: readonly string[]) {
  const load = { endpoint, body: smallBody, seconds: bench.seconds(seconds), connections: connections / 2 };
  const before = await store.published();
  const startedAt = performance.now();
  const counted = await Promise.all(gateways.map((gateway) => sendSignals(bench, { ...load, gateway })));
  const notStored = await store.drain();
  if (notStored) missing.push(notStored);
  const perSecond = ((await store.published()) - before) / ((performance.now() - startedAt) / 1_000);
  return { perSecond, answered: counted.map(({ count, warmupCount }) => count + warmupCount) };
}

function largestPart(counts: readonly number[]): number {
  return (100 * Math.max(...counts)) / counts.reduce((sum, count) => sum + count, 0);
}
