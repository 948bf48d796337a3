import { startBarePublisher } from '../baselines/bare-publisher.ts';
import { startWork, type Work } from '../counting/work.ts';
import { sayWork, workLines } from '../counting/work-report.ts';
import { type Counted, runLoad } from '../load/load.ts';
import { alternating, atLeast, atMost, beside, discounted, type Line, notMeasured, type Runs } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { sampleSizes } from '../system/memory.ts';
import { startReplica } from '../system/replica.ts';
import { openEndpoints, openSignalStore } from '../system/signals.ts';
import { bodyOf, connections, sendSignals, smallBody, warmupSeconds } from './signals.ts';

const seconds = 20;

/** From the goal: the size of the bodies while memory is measured. */
const largeBodyBytes = 10_000;
/** Long enough for several full collections of each process. Ten thousands of such bodies are half a gigabyte. */
const secondsOfLargeBodies = 20;
/** More ids than a baseline can use in a run, and fewer than a partition of the table has. */
export const idsPerRun = 500_000;

/** Two rows of one number, so that a failure of one leaves the other. */
export const signalRows: Row[] = [
  { number: '6', title: 'signals, published and acknowledged', measure: measureRate },
  { number: '6', title: 'memory under signals of 10 kB', measure: measureMemory },
];

async function measureRate(bench: Bench): Promise<Line[]> {
  const yardarm = await bench.stage.yardarm('signals');
  const [endpoint] = await openEndpoints(yardarm.api);
  const store = await openSignalStore(yardarm);
  // Undefined on other systems than Linux, where no CPU time is measured.
  const pid = yardarm.services().get('gateway');
  const perCpuSecond: Runs = { subject: [], baseline: [] };
  const missing: string[] = [];
  const works: Work[] = [];
  const settle = async (of: keyof Runs, send: () => Promise<Counted>) => {
    const before = await store.published();
    const endWork = of === 'subject' ? yardarm.counting && (await startWork(yardarm.counting)) : undefined;
    const { count, seconds: took, warmupCount, cpuSeconds } = await send();
    const notStored = await store.drain();
    const published = (await store.published()) - before;
    if (published < count + warmupCount)
      throw new Error(`${count + warmupCount} signals were acknowledged, but only ${published} are in the stream`);
    if (endWork) works.push(await endWork(published));
    if (notStored) missing.push(`${of}: ${notStored}`);
    if (pid !== undefined) perCpuSecond[of].push(count / cpuSeconds);
    return count / took;
  };
  const load = { endpoint: endpoint!, body: smallBody, seconds: bench.seconds(seconds) };
  const ofGateway = () => sendSignals(bench, { ...load, gateway: yardarm.url, pid });
  const ofBareExpress = async () => {
    const ids = { endpointId: endpoint!.id, tokenId: endpoint!.tokenId, firstId: await store.drawIds(idsPerRun) };
    const bare = await startBarePublisher({ natsUrl: yardarm.natsUrl, ...ids });
    try {
      return await sendToBareExpress(bench, bare.url, pid && bare.pid);
    } finally {
      await bare.stop();
    }
  };
  try {
    const runs = await alternating(
      bench.runs,
      () => settle('subject', ofGateway),
      () => settle('baseline', ofBareExpress),
    );
    const remark = `${smallBody.length} bytes; baseline: bare Express 5 that publishes, same consumers`;
    const rate = atLeast(0.7, runs, { row: '6', what: 'signals', unit: 'answers/s', remark });
    const ofCpu = { row: '6', what: 'the same by CPU time of the gateway', unit: 'answers/CPU s' };
    const cpu = pid === undefined ? [] : [beside(perCpuSecond, ofCpu)];
    sayWork(bench, { 'Yardarm, per signal': works });
    return [discounted(rate, missing), ...cpu, ...workLines('6', 'signal', works, [])];
  } finally {
    await store.close();
  }
}

/** Sends signals to the baseline as fast as it answers. */
export function sendToBareExpress(bench: Bench, url: string, pid: number | undefined): Promise<Counted> {
  const headers = { 'content-type': 'application/json' };
  return runLoad({
    kind: 'throughput',
    request: { url, method: 'POST', headers, body: smallBody, status: 200 },
    ...{ connections, warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds), pid },
  });
}

/** The largest memory of a gateway that serves only signals, and of signals, in fresh processes. */
async function measureMemory(bench: Bench): Promise<Line[]> {
  const ofGateway = { row: '6', what: 'memory of a signals-only gateway, bodies of 10 kB', unit: 'MB, PSS' };
  const ofSignals = { row: '6', what: 'memory of signals, bodies of 10 kB', unit: 'MB, PSS' };
  if (process.platform !== 'linux') {
    return [
      notMeasured({ ...ofGateway, goal: '<= 120', remark: 'Linux only' }),
      notMeasured({ ...ofSignals, goal: '<= 150', remark: 'Linux only' }),
    ];
  }
  const gateways: number[] = [];
  const stores: number[] = [];
  const missing: string[] = [];
  const body = bodyOf(largeBodyBytes);
  for (let run = 0; run < bench.runs; run += 1) {
    await bench.stage.stopRunning();
    const yardarm = await bench.stage.yardarm('signals');
    const [endpoint] = await openEndpoints(yardarm.api);
    const store = await openSignalStore(yardarm);
    const gateway = await startReplica(yardarm, 'gateway', { GATEWAY_ROUTE_GROUPS: 'signals' });
    const sizes = sampleSizes([gateway.pid, yardarm.services().get('signals')!]);
    try {
      const load = { endpoint: endpoint!, gateway: gateway.url, body, seconds: bench.seconds(secondsOfLargeBodies) };
      await sendSignals(bench, load);
      const notStored = await store.drain();
      if (notStored) missing.push(notStored);
      const [largestGateway, largestStore] = sizes.stop();
      gateways.push(largestGateway!);
      stores.push(largestStore!);
    } finally {
      sizes.stop();
      await gateway.stop();
      await store.close();
    }
  }
  const remark = 'the largest of two readings a second, under the load and until all is stored';
  return [
    discounted(atMost(120, { subject: gateways, baseline: [] }, { ...ofGateway, remark }), missing),
    discounted(atMost(150, { subject: stores, baseline: [] }, { ...ofSignals, remark }), missing),
  ];
}
