// Tests promise 1: a writer changes flags at a steady rate while processes, NATS and Postgres crash in every known way.
// Afterwards journal, outboxes, log, receiver and outcomes must agree in both directions (check-history.ts).
//
//   FAULTS_SEED=<seed>   the order of the faults of an earlier run; the timing still depends on the machine
//
// Other tests cover:
//   a row that commits after later ones are published  packages/shared/db/outbox/relay.int.test.ts
//   two relays at once, one paused                     packages/shared/db/outbox/relay-crash.int.test.ts
//   two replicas with the same expected position       services/events/recording, services/integrations/intake
//   a retry after the duplicate window                 duplicate-window.faults.test.ts
//   old events that integrations must not get          old-events.faults.test.ts
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violationsOf } from './check-history.ts';
import { addHook, type Hook, readCommitted, readLog, readSubscription, untilDrained } from './collect.ts';
import { countsOf, tableOf } from './counts.ts';
import { everyFault } from './faults.ts';
import type { History } from './history.ts';
import { faultsOptions } from './options.ts';
import { refusing, startWebhookReceiver, type WebhookReceiver } from './receiver.ts';
import { seeded } from './seeded.ts';
import { startWriter } from './writer.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

const flags = Array.from({ length: 10 }, (_, n) => `flag-${n}`);
const changes = ['feature-metadata-updated', 'feature-stale-on', 'feature-stale-off'];
const perSecond = 20;
/** The receiver refuses one first arrival in forty, so that crashes also hit retries. */
const refusedShare = 1 / 40;
/** Two of three faults wait for so many writes as a sign of recovery. The third occurs during the recovery. */
const recovered = { writes: 20, share: 2 / 3 };
/** A lease expires within 5 s and a claim within 10 s. On a busy machine a process takes 10 s to start. */
const recoveryLimitMs = 60_000;
/** The maximum pause before a fault that does not wait for recovery. */
const maxPauseMs = 2_000;

let yardarm: Yardarm;
let receiver: WebhookReceiver;

const { seed } = faultsOptions();
const random = seeded(seed);

beforeAll(async () => {
  receiver = await startWebhookReceiver(refusing(refusedShare, seeded(seed + 1)));
  yardarm = await startYardarm();
});

afterAll(async () => {
  await yardarm?.stop();
  await receiver?.close();
});

const print = (text: string) => process.stdout.write(`${text}\n`);

async function history(writes: History['writes'], hooks: readonly Hook[]): Promise<History> {
  const subscriptions = await Promise.all(hooks.map((hook) => readSubscription(yardarm, hook, receiver.arrivals)));
  return { flags, writes, committed: await readCommitted(yardarm), log: await readLog(yardarm), subscriptions };
}

test('every change is logged once and delivered to every webhook at least once, despite crashes', async () => {
  print(`seed ${seed} (FAULTS_SEED=${seed} repeats the order)`);
  for (const name of flags) {
    await yardarm.call('POST', '/api/admin/projects/default/features', { name, description: 'new' });
  }
  await untilDrained(yardarm, []);
  const hooks = [
    await addHook(yardarm, { url: receiver.url, path: '/every-change', types: changes }),
    await addHook(yardarm, { url: receiver.url, path: '/stale', types: changes.slice(1) }),
  ];
  const writer = startWriter({ url: yardarm.url, token: yardarm.adminToken, flags, perSecond });
  const startedAt = performance.now();
  const errors: string[] = [];
  const addError = (error: Error) => void errors.push(error.message);
  for (const fault of everyFault(yardarm, random)) {
    const pauseMs = random() * maxPauseMs;
    if (random() < recovered.share) await writer.acknowledged(recovered.writes, recoveryLimitMs).catch(addError);
    else await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const at = (performance.now() - startedAt) / 1_000;
    const acknowledged = writer.journal.filter(({ answer }) => answer === 'acknowledged').length;
    await fault.cause().catch(addError);
    print(`${at.toFixed(1).padStart(6)} s  ${String(acknowledged).padStart(5)} acknowledged  ${fault.name}`);
  }
  await writer.acknowledged(recovered.writes, recoveryLimitMs).catch(addError);
  await writer.stop();
  const writingMs = performance.now() - startedAt;
  await yardarm.untilReady();
  const drainError = await untilDrained(yardarm, hooks).catch((error: Error) => error.message);
  const run = await history(writer.journal, hooks);

  print(countsOf(run));
  print(
    tableOf([
      ['deaths of service processes', yardarm.replicas.reduce((sum, { deaths }) => sum + deaths, 0)],
      ['seconds of writing', Math.round(writingMs / 1_000)],
      ['seconds until all was drained', Math.round((performance.now() - startedAt - writingMs) / 1_000)],
    ]),
  );
  expect(errors).toEqual([]);
  expect(drainError).toBeUndefined();
  expect(violationsOf(run)).toEqual([]);
  // A run without interrupted writes and repeated deliveries would prove little.
  expect(run.writes.map(({ answer }) => answer)).toContain('unknown');
  expect(run.subscriptions[0]!.arrivals.length).toBeGreaterThan(run.subscriptions[0]!.outcomes.length);
});
