// Promise 1 as a history: a writer changes flags at a steady rate while processes, NATS and Postgres crash in every way there is a fault
// for; afterwards journal, outboxes, log, receiver and outcomes have to tell the same story, in both directions (check-history.ts).
//
//   FAULTS_SEED=<seed>   the order of the faults of an earlier run; what else happens is the machine's
//
// Shown elsewhere, each by its own test:
//   a row that commits after later ones have gone     packages/shared/db/outbox/relay.int.test.ts
//   two relays at once, one paused                    packages/shared/db/outbox/relay-crash.int.test.ts
//   a position that two believe in                    services/events/recording, services/integrations/intake
//   the duplicate window passing before the retry     duplicate-window.faults.test.ts
//   what integrations do not get of the past          old-events.faults.test.ts
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf } from './check-history.ts';
import { addHook, type Hook, readCommitted, readLog, readSubscription, untilDrained } from './collect.ts';
import { countsOf, tableOf } from './counts.ts';
import { everyFault } from './faults.ts';
import type { History } from './history.ts';
import { faultsOptions } from './options.ts';
import { startWebhookReceiver, type WebhookReceiver } from './receiver.ts';
import { seeded } from './seeded.ts';
import { startWriter } from './writer.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

const flags = Array.from({ length: 10 }, (_, n) => `flag-${n}`);
const changes = ['feature-metadata-updated', 'feature-stale-on', 'feature-stale-off'];
const perSecond = 20;
/** One first arrival in forty is refused, so that retries are among what crashes. */
const refusedShare = 1 / 40;
/** Two of three faults strike a system that works again, shown by so many writes; the third comes while it is still getting up. */
const recovered = { writes: 20, share: 2 / 3 };
/** All recover by themselves: a lease runs out within 5 s, a claim within 10, on a machine that others load a process takes 10 to start. */
const recoveryLimitMs = 60_000;
/** The longest pause before a fault that does not wait: some strike at once, some in the middle of what the last one began. */
const maxPauseMs = 2_000;

let yardarm: Yardarm;
let receiver: WebhookReceiver;

const { seed } = faultsOptions();
const random = seeded(seed);

beforeAll(async () => {
  const refusals = seeded(seed + 1);
  const seen = new Set<string>();
  receiver = await startWebhookReceiver(({ webhookId }) => {
    const isFirst = !seen.has(webhookId);
    seen.add(webhookId);
    return isFirst && refusals() < refusedShare;
  });
  yardarm = await startYardarm();
});

afterAll(async () => {
  await yardarm?.stop();
  await receiver?.close();
});

const say = (text: string) => process.stdout.write(`${text}\n`);

async function history(writes: History['writes'], hooks: readonly Hook[]): Promise<History> {
  const subscriptions = await Promise.all(hooks.map((hook) => readSubscription(yardarm, hook, receiver.arrivals)));
  return { flags, writes, committed: await readCommitted(yardarm), log: await readLog(yardarm), subscriptions };
}

test('every change is in the log once and with every webhook at least once, whatever crashes', async () => {
  say(`seed ${seed} (FAULTS_SEED=${seed} strikes in the same order)`);
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
  const missed: string[] = [];
  const wentWrong = (error: Error) => void missed.push(error.message);
  for (const fault of everyFault(yardarm, random)) {
    const pauseMs = random() * maxPauseMs;
    if (random() < recovered.share) await writer.acknowledged(recovered.writes, recoveryLimitMs).catch(wentWrong);
    else await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const at = (performance.now() - startedAt) / 1_000;
    const acknowledged = writer.journal.filter(({ answer }) => answer === 'acknowledged').length;
    await fault.strike().catch(wentWrong);
    say(`${at.toFixed(1).padStart(6)} s  ${String(acknowledged).padStart(5)} acknowledged  ${fault.name}`);
  }
  await writer.acknowledged(recovered.writes, recoveryLimitMs).catch(wentWrong);
  await writer.stop();
  const wroteForMs = performance.now() - startedAt;
  await yardarm.untilReady();
  const stuck = await untilDrained(yardarm, hooks).catch((error: Error) => error.message);
  const run = await history(writer.journal, hooks);

  say(countsOf(run));
  say(
    tableOf([
      ['deaths of service processes', yardarm.replicas.reduce((sum, { deaths }) => sum + deaths, 0)],
      ['seconds of writing', Math.round(wroteForMs / 1_000)],
      ['seconds until all was drained', Math.round((performance.now() - startedAt - wroteForMs) / 1_000)],
    ]),
  );
  expect(missed).toEqual([]);
  expect(stuck).toBeUndefined();
  expect(faultsOf(run)).toEqual([]);
  // A run in which nothing was cut off or repeated would have shown little.
  expect(run.writes.map(({ answer }) => answer)).toContain('unknown');
  expect(run.subscriptions[0]!.arrivals.length).toBeGreaterThan(run.subscriptions[0]!.outcomes.length);
});
