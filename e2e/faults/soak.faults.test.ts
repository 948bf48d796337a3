// The whole system under a steady load of changes, signals, webhooks and streaming SDKs, with a random fault every
// 20 s. Afterwards the journals agree, and no process has grown. `npm run soak` runs this file alone.
//
//   SOAK_MINUTES=60      how long; ten minutes in `npm run test:long`, and not at all in `npm run test:faults`
//   FAULTS_SEED=<seed>   the faults of an earlier run; the timing still depends on the machine
import { eventually, isLongRun } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violationsOf } from './check-history.ts';
import { addHook, readCommitted, readLog, readSubscription, untilDrained } from './collect.ts';
import { countsOf, tableOf } from './counts.ts';
import { faultsOptions } from './options.ts';
import { refusing, startWebhookReceiver, type WebhookReceiver } from './receiver.ts';
import type { Replica } from './replica.ts';
import { seeded } from './seeded.ts';
import { startSignals } from './signal-journal.ts';
import { Clock, clockFile, findFaketime } from './soak/clocks.ts';
import { type Footprint, footprintOf, growthOf, violationsOfGrowth } from './soak/footprint.ts';
import { soakFaults } from './soak/soak-faults.ts';
import { type SoakServers, startSoakServers } from './soak/soak-servers.ts';
import { StreamingSdk } from './streaming-sdk.ts';
import { startWriter } from './writer.ts';
import { startYardarmOn, type Yardarm } from './yardarm.ts';

const minuteMs = 60_000;
const everyMs = 20_000;
const perSecond = 10;
const flags = Array.from({ length: 10 }, (_, n) => `flag-${n}`);
const changes = ['feature-metadata-updated', 'feature-stale-on', 'feature-stale-off'];
/** The receiver refuses one first arrival in forty, so that faults also hit retries. */
const refusedShare = 1 / 40;
/** The lease of a process whose clock, or that of Postgres, was ahead by 20 s is held for so much longer. */
const recoveryLimitMs = 90_000;
const storedLimitMs = 60_000;
/** After the last fault everything is delivered and compared. */
const afterwardsMs = 10 * minuteMs;

const { seed, soakMinutes } = faultsOptions();
const minutes = soakMinutes ?? (isLongRun ? 10 : 0);
const print = (text: string) => process.stdout.write(`${text}\n`);

let yardarm: Yardarm<SoakServers>;
let receiver: WebhookReceiver;
const clocks = new Map<Replica, Clock>();
const sdks: StreamingSdk[] = [];

beforeAll(async () => {
  if (minutes === 0) return;
  receiver = await startWebhookReceiver(refusing(refusedShare, seeded(seed + 1)));
  const servers = await startSoakServers(await findFaketime());
  const { faketime } = servers;
  const made = new Map<string, Clock>();
  const counts = { flags: 2, events: 2, integrations: 2, accounts: 2, signals: 2, gateway: 2 };
  yardarm = await startYardarmOn(servers, counts, (service, number) => {
    const name = `${service} ${number}`;
    const clock = new Clock(clockFile(servers.folder, name.replace(' ', '-')), faketime);
    made.set(name, clock);
    return clock.environment;
  });
  if (faketime === null) return;
  for (const replica of yardarm.replicas) clocks.set(replica, made.get(replica.name)!);
});

afterAll(async () => {
  for (const sdk of sdks) sdk.stop();
  await yardarm?.stop();
  await receiver?.close();
});

test.skipIf(minutes === 0)(
  'journals agree and no process grows, whatever fails',
  { timeout: minutes * minuteMs + afterwardsMs },
  async () => {
    print(`seed ${seed}, ${minutes} min (FAULTS_SEED=${seed} SOAK_MINUTES=${minutes} repeats the faults)`);
    const random = seeded(seed);
    const { kinds, leftOut } = soakFaults(yardarm, clocks, random);
    for (const what of leftOut) print(`left out: ${what}`);
    for (const name of flags)
      await yardarm.call('POST', '/api/admin/projects/default/features', { name, description: 'new' });
    await untilDrained(yardarm, []);
    const hooks = [
      await addHook(yardarm, { url: receiver.url, path: '/every-change', types: changes }),
      await addHook(yardarm, { url: receiver.url, path: '/stale', types: changes.slice(1) }),
    ];
    const token = { tokenName: 'soak', type: 'client', environment: 'development', projects: ['*'] };
    const { secret } = await yardarm.call('POST', '/api/admin/api-tokens', token);
    for (const { port } of yardarm.replicasOf('gateway'))
      for (let n = 0; n < 2; n += 1)
        sdks.push(new StreamingSdk(`http://127.0.0.1:${port}/api/client/streaming`, secret));
    const signals = await startSignals(yardarm);
    const writer = startWriter({ url: yardarm.url, token: yardarm.adminToken, flags, perSecond });

    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    const living = yardarm.replicas.filter(({ name }) => name.endsWith(' 1'));
    const samples = new Map(living.map((replica) => [replica, [] as Footprint[]]));
    const errors: string[] = [];
    const recoveries: { name: string; ms: number }[] = [];
    for (let turn = 1; turn * everyMs < minutes * minuteMs; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, turn * everyMs - elapsed()));
      for (const [replica, taken] of samples) {
        const found = await footprintOf(replica, elapsed());
        if (found !== null) taken.push(found);
      }
      const fault = kinds[Math.floor(random() * kinds.length)]!();
      const at = elapsed();
      await fault.cause().catch((error: Error) => void errors.push(`${fault.name}: ${error.message}`));
      const endedAt = elapsed();
      await writer
        .acknowledged(flags.length, recoveryLimitMs)
        .catch((error: Error) => void errors.push(`after ${fault.name}: ${error.message}`));
      recoveries.push({ name: fault.name, ms: elapsed() - endedAt });
      print(
        `${(at / 1_000).toFixed(0).padStart(5)} s  ${String(signals.accepted.length).padStart(6)} signals  ` +
          `${String(writer.journal.length).padStart(6)} changes  ${fault.name}; serves after ${((elapsed() - endedAt) / 1_000).toFixed(1)} s`,
      );
    }
    await writer.acknowledged(flags.length, recoveryLimitMs);
    await Promise.all([writer.stop(), signals.stop()]);
    await yardarm.untilReady();
    const drainError = await untilDrained(yardarm, hooks).catch((error: Error) => error.message);
    const missing = await signals.findMissing(storedLimitMs);
    const subscriptions = [];
    for (const hook of hooks) subscriptions.push(await readSubscription(yardarm, hook, receiver.arrivals));
    const run = {
      flags,
      writes: writer.journal,
      committed: await readCommitted(yardarm),
      log: await readLog(yardarm),
      subscriptions,
    };
    print(countsOf(run));
    print(
      tableOf([
        ['accepted signals', signals.accepted.length],
        ['  not stored', missing.length],
        ['  stored twice', await signals.countDoubled()],
        ['streams that SDKs were given', sdks.reduce((sum, sdk) => sum + sdk.streams, 0)],
        ['deaths of service processes', yardarm.replicas.reduce((sum, { deaths }) => sum + deaths, 0)],
        ['longest time to serve again, s', Math.round(Math.max(...recoveries.map(({ ms }) => ms)) / 1_000)],
      ]),
    );

    const grown: string[] = [];
    for (const [{ name }, taken] of samples) {
      const growth = growthOf(taken);
      const [from, to] = growth === null ? [taken[0], taken.at(-1)] : [growth.from, growth.to];
      if (!from || !to) continue;
      const megabytes = ({ bytes }: Footprint) => (bytes / 1e6).toFixed(1);
      print(`${name}: ${megabytes(from)} to ${megabytes(to)} MB, ${from.handles} to ${to.handles} handles`);
      if (growth !== null) grown.push(...violationsOfGrowth(name, growth));
    }
    expect(errors).toEqual([]);
    expect(drainError).toBeUndefined();
    expect(violationsOf(run)).toEqual([]);
    expect(missing).toEqual([]);
    expect(await signals.countDoubled()).toBe(0);
    const stored = await yardarm.database.rows<{ name: string; description: string }>(
      'select name, description from flags.features order by name',
    );
    await eventually(() => {
      for (const sdk of sdks)
        expect([...sdk.flags].sort()).toEqual(stored.map(({ name, description }) => [name, description]));
    }, recoveryLimitMs);
    expect(grown).toEqual([]);
  },
);
