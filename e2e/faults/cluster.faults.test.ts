// A whole system on a cluster of three NATS servers with TLS and three copies of each stream. Every fault of a
// minority, kills of all, and the loss of all stores: afterwards the writers' journals, the outboxes, the log and the
// webhooks agree (check-history.ts), and each accepted signal is stored, or counted as destroyed.
//
//   what a fault costs   printed for each: refused changes, and the longest time without an accepted signal
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ClusterFault, lossOfAllStores, minorityFaults, untilAllCurrent } from '@yardarm/testing/cluster-faults';
import { startTestCluster, type TestCluster } from '@yardarm/testing/nats-cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres } from '../../scripts/servers/postgres.ts';
import { violationsOf } from './check-history.ts';
import { addHook, readCommitted, readLog, readSubscription, untilDrained } from './collect.ts';
import { countsOf, tableOf } from './counts.ts';
import { startWebhookReceiver, type WebhookReceiver } from './receiver.ts';
import type { YardarmServers } from './servers.ts';
import { startSignals } from './signal-journal.ts';
import { startWriter } from './writer.ts';
import { startYardarmOn, type Yardarm } from './yardarm.ts';

const flags = Array.from({ length: 5 }, (_, n) => `flag-${n}`);
const changes = ['feature-metadata-updated', 'feature-stale-on', 'feature-stale-off'];
const perSecond = 10;
/** Enough acknowledged writes and signals to see that the system serves. */
const recovered = 10;
/** Elections, leases and reconnects end within seconds, on a busy machine within a minute. */
const recoveryLimitMs = 90_000;

let yardarm: Yardarm<YardarmServers>;
let cluster: TestCluster;
let receiver: WebhookReceiver;

async function startServers(): Promise<YardarmServers> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-clustered-'));
  // For root, Postgres runs as another user, who needs access to its data in this folder.
  chmodSync(folder, 0o711);
  const [postgres, started] = await Promise.all([
    startPostgres({ dataDir: path.join(folder, 'postgres'), durable: true, temporary: true }),
    startTestCluster(),
  ]);
  cluster = started;
  return {
    postgresUrl: postgres.url,
    natsUrlOf: cluster.urlOf,
    folder,
    async stop() {
      await Promise.all([postgres.stop(), cluster.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  const servers = await startServers();
  yardarm = await startYardarmOn(servers, { flags: 1, integrations: 1 }, (service) => ({
    ...cluster.settings,
    ...(service !== 'gateway' && { NATS_STREAM_REPLICAS: '3' }),
  }));
});
afterAll(async () => {
  await yardarm?.stop();
  await receiver?.close();
});

const print = (text: string) => process.stdout.write(`${text}\n`);

test('no change, event or accepted signal is lost or doubled by a fault of NATS servers', async () => {
  for (const name of flags) {
    await yardarm.call('POST', '/api/admin/projects/default/features', { name, description: 'new' });
  }
  await untilAllCurrent(cluster);
  await untilDrained(yardarm, []);
  const hooks = [await addHook(yardarm, { url: receiver.url, path: '/changes', types: changes })];
  const writer = startWriter({ url: yardarm.url, token: yardarm.adminToken, flags, perSecond });
  const signals = await startSignals(yardarm);
  const errors: string[] = [];
  const addError = (error: Error) => void errors.push(error.message);

  const meet = async ({ name, cause }: ClusterFault): Promise<void> => {
    await writer.acknowledged(recovered, recoveryLimitMs).catch(addError);
    const countRefused = () => writer.journal.filter(({ answer }) => answer === 'refused').length;
    const [at, before, signalsBefore] = [performance.now(), countRefused(), signals.accepted.length];
    await cause().catch(addError);
    await Promise.all([
      writer.acknowledged(recovered, recoveryLimitMs),
      signals.acceptedMore(recovered, recoveryLimitMs),
    ]).catch(addError);
    print(
      `${name}: changes refused ${countRefused() - before}, signals accepted ${signals.accepted.length - signalsBefore}, ` +
        `longest time without an accepted signal ${signals.longestGapMs(at)} ms`,
    );
    await untilAllCurrent(cluster).catch(addError);
  };

  for (const fault of minorityFaults(cluster)) await meet(fault);
  expect(await signals.findMissing(recoveryLimitMs)).toEqual([]);
  await meet(lossOfAllStores(cluster));
  await Promise.all([writer.stop(), signals.stop()]);
  await yardarm.untilReady();
  const drainError = await untilDrained(yardarm, hooks).catch((error: Error) => error.message);
  const subscriptions = await Promise.all(hooks.map((hook) => readSubscription(yardarm, hook, receiver.arrivals)));
  const history = {
    ...{ flags, writes: writer.journal, subscriptions },
    ...{ committed: await readCommitted(yardarm), log: await readLog(yardarm) },
  };
  const destroyed = await signals.findMissing(recoveryLimitMs);
  const doubled = await signals.countDoubled();
  print(countsOf(history));
  print(
    tableOf([
      ['accepted signals', signals.accepted.length],
      ['  destroyed by NATS before they were stored', destroyed.length],
      ['  stored twice', doubled],
    ]),
  );
  expect(errors).toEqual([]);
  expect(drainError).toBeUndefined();
  expect(violationsOf(history)).toEqual([]);
  expect(doubled).toBe(0);
});
