// Tests the upgrade of docs/upgrade.md and the way back: the release before and this one run mixed under load, one
// replica is replaced at a time, and no request of an administrator, an SDK or a sender of signals fails. Afterwards
// journal, outboxes, log, receiver and outcomes agree, and every accepted signal is stored once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ServiceName } from '@yardarm/shared/contracts';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Balancer, startBalancer } from './balancer.ts';
import { startCaller } from './caller.ts';
import { violationsOf } from './check-history.ts';
import { checkOut, migrateBy, releaseBefore } from './checkout.ts';
import { addHook, readCommitted, readLog, readSubscription, untilDrained } from './collect.ts';
import { startWebhookReceiver, type WebhookReceiver } from './receiver.ts';
import { type Replica, thisCheckout } from './replica.ts';
import { startWriter } from './writer.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

const flags = Array.from({ length: 5 }, (_, n) => `flag-${n}`);
const changes = ['feature-metadata-updated', 'feature-stale-on', 'feature-stale-off'];
/** The order of docs/upgrade.md. The way back is the same in reverse. */
const order: readonly ServiceName[] = ['signals', 'integrations', 'events', 'accounts', 'flags', 'gateway'];
/** Rates at which twelve processes on two cores still answer in time while others start. */
const writesPerSecond = 10;
const callEveryMs = 100;
/** Replaced processes serve for so many writes before the next one is replaced. */
const writesBetween = 10;
/** flags of the release before answers this to changes that wait when it stops. This one lets them finish. */
const refusedByStop = 'This process is stopping; nothing was done.';
/** A process starts in seconds, on a busy machine in ten. */
const limitMs = 60_000;

let folder: string;
let yardarm: Yardarm;
let receiver: WebhookReceiver;
let balancer: Balancer;
/** The replica that is being replaced. A balancer sends no new connection to a gateway that is not ready. */
let replaced: Replica | null = null;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-release-'));
  await checkOut(releaseBefore, folder);
  receiver = await startWebhookReceiver(() => false);
  const counts = { gateway: 2, flags: 2, events: 2, integrations: 2, signals: 2, accounts: 2 };
  yardarm = await startYardarm(counts, () => ({ REQUEST_TIMEOUT_MS: '20000' }), folder);
  const gateways = yardarm.replicasOf('gateway');
  let next = 0;
  balancer = await startBalancer(() => {
    next += 1;
    const ready = gateways.filter((gateway) => gateway !== replaced);
    return ready.map((_, index) => ready[(index + next) % ready.length]!.port);
  });
});

afterAll(async () => {
  balancer?.close();
  await yardarm?.stop();
  await receiver?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function replaceAll(
  services: readonly ServiceName[],
  checkout: string,
  untilServing: () => Promise<void>,
): Promise<void> {
  for (const service of services) {
    for (const replica of yardarm.replicasOf(service)) {
      replaced = replica;
      await replica.replaceBy(checkout);
      await yardarm.untilReady();
      replaced = null;
      await untilServing();
    }
  }
}

test('an upgrade by one replica at a time, and back, fails no request and loses nothing', async () => {
  for (const name of flags) {
    await yardarm.call('POST', '/api/admin/projects/default/features', { name, description: 'new' });
  }
  const sdk = await yardarm.call('POST', '/api/admin/api-tokens', {
    ...{ tokenName: 'sdk', type: 'client', environment: 'development', projects: ['*'] },
  });
  const endpoint = await yardarm.call('POST', '/api/admin/signal-endpoints', { name: 'alerts', ratePerSecond: 100 });
  const sender = await yardarm.call('POST', `/api/admin/signal-endpoints/${endpoint.id}/tokens`, { name: 'sender' });
  await untilDrained(yardarm, []);
  const hook = await addHook(yardarm, { url: receiver.url, path: '/every-change', types: changes });

  const url = `http://127.0.0.1:${balancer.port}`;
  const reads = startCaller(`${url}/api/client/features`, callEveryMs, { headers: { authorization: sdk.secret } });
  const signals = startCaller(`${url}/api/signal-endpoint/alerts`, 2 * callEveryMs, {
    ...{ method: 'POST', body: '{"state":"firing"}' },
    headers: { authorization: `Bearer ${sender.token}`, 'content-type': 'application/json' },
  });
  const writer = startWriter({ url: () => url, token: yardarm.adminToken, flags, perSecond: writesPerSecond });
  const untilServing = () => writer.acknowledged(writesBetween, limitMs);

  await untilServing();
  await migrateBy(thisCheckout, yardarm.database);
  await replaceAll(order, thisCheckout, untilServing);
  const upgraded = writer.journal.length;
  // The migrations of the release before refuse the newer schema. Its services run on it.
  await replaceAll(order.toReversed(), folder, untilServing);

  await Promise.all([writer.stop(), reads.stop(), signals.stop()]);
  const failed = (answers: readonly string[], expected: string) => answers.filter((answer) => answer !== expected);
  process.stdout.write(
    `${writer.journal.length} changes, ${reads.answers.length} reads, ${signals.answers.length} signals\n`,
  );
  const failedWrites = writer.journal.filter(({ answer }) => answer !== 'acknowledged');
  expect(failedWrites.filter(({ number, reason }) => number > upgraded || !reason!.includes(refusedByStop))).toEqual(
    [],
  );
  expect(failed(reads.answers, '200')).toEqual([]);
  expect(failed(signals.answers, '200')).toEqual([]);

  await untilDrained(yardarm, [hook]);
  const stored = 'select count(*)::integer as n from signals.signals';
  await eventually(async () => {
    const [row] = await yardarm.database.rows<{ n: number }>(stored);
    if (row!.n < signals.answers.length) throw new Error(`${row!.n} of ${signals.answers.length} signals are stored`);
  }, limitMs);

  expect(await yardarm.database.rows(stored)).toEqual([{ n: signals.answers.length }]);
  const subscriptions = [await readSubscription(yardarm, hook, receiver.arrivals)];
  const [committed, log] = [await readCommitted(yardarm), await readLog(yardarm)];
  expect(violationsOf({ flags, writes: writer.journal, committed, log, subscriptions })).toEqual([]);
});
