// 1,000 SDKs stream from one of two gateways, which is killed while flags change. They continue at the other one.
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Balancer, startBalancer } from './balancer.ts';
import { StreamingSdk } from './streaming-sdk.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

const sdkCount = 1_000;
/** Each is changed once, so a change that an SDK misses stays missing. */
const names = Array.from({ length: 100 }, (_, number) => `flag-${number}`);
const pauseMs = 100;
/** The kill is after a fifth of the changes. SDKs are away for two seconds of the remaining eight. */
const changesBefore = 20;
/** From the goal. */
const reconnectionLimitMs = 30_000;
/** For all hydrations, on a busy machine. */
const startLimitMs = 60_000;

let yardarm: Yardarm;
let balancer: Balancer;
let sdks: StreamingSdk[] = [];

beforeAll(async () => {
  yardarm = await startYardarm({ flags: 1, gateway: 2, events: 0, integrations: 0, signals: 0 });
  for (const name of names) {
    await yardarm.call('POST', '/api/admin/projects/default/features', { name, description: 'before' });
  }
});

afterAll(async () => {
  for (const sdk of sdks) sdk.stop();
  balancer?.close();
  await yardarm?.stop();
});

async function changeAll(from: number, until: number): Promise<void> {
  for (const name of names.slice(from, until)) {
    const value = [{ op: 'replace', path: '/description', value: 'after' }];
    await yardarm.call('PATCH', `/api/admin/projects/default/features/${name}`, value);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Waits until this holds for every SDK. */
const untilEvery = (what: string, holds: (sdk: StreamingSdk) => boolean, limitMs: number) =>
  eventually(() => {
    const missing = sdks.filter((sdk) => !holds(sdk)).length;
    if (missing > 0) throw new Error(`${missing} of ${sdkCount} SDKs have not ${what}`);
  }, limitMs);

test('1,000 SDKs whose gateway is killed continue at the other one, each with what it missed', async () => {
  const [other, killed] = yardarm.replicasOf('gateway');
  balancer = await startBalancer(() => [killed!.port, other!.port]);
  const body = { tokenName: 'streams', type: 'client', environment: 'development', projects: ['*'] };
  const { secret } = await yardarm.call('POST', '/api/admin/api-tokens', body);
  const url = `http://127.0.0.1:${balancer.port}/api/client/streaming`;
  sdks = Array.from({ length: sdkCount }, () => new StreamingSdk(url, secret));
  await untilEvery('a hydration', ({ hydrations }) => hydrations === 1, startLimitMs);

  await changeAll(0, changesBefore);
  const changing = changeAll(changesBefore, names.length);
  await killed!.stop();
  const killedAt = performance.now();
  const again = untilEvery('another stream', ({ streams }) => streams > 1, reconnectionLimitMs);
  await again.finally(() => {
    const counts = new Map<string, number>();
    for (const end of sdks.flatMap(({ ends }) => ends)) counts.set(end, (counts.get(end) ?? 0) + 1);
    const seconds = ((performance.now() - killedAt) / 1_000).toFixed(1);
    process.stdout.write(`${seconds} s after the kill; streams that ended: ${JSON.stringify([...counts])}\n`);
  });
  await changing;
  const isComplete = ({ flags }: StreamingSdk) => names.every((name) => flags.get(name) === 'after');
  await untilEvery('every change', isComplete, reconnectionLimitMs);

  for (const { hydrations, revisions } of sdks) {
    expect(hydrations).toBe(1);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  }
  // Without changes during the outage the test would prove little.
  expect(sdks.filter(({ missed }) => missed > 0).length).toBeGreaterThan(sdkCount / 2);
});
