// An integration is told of what happens from the moment it is made, or enabled again, on: whatever is published once more afterwards.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addHook, type Hook, readLog, readSubscription, untilDrained } from './collect.ts';
import { startWebhookReceiver, type WebhookReceiver } from './receiver.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

let yardarm: Yardarm;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  yardarm = await startYardarm();
});

afterAll(async () => {
  await yardarm?.stop();
  await receiver?.close();
});

const types = ['feature-created'];

async function create(names: readonly string[]): Promise<void> {
  for (const name of names) await yardarm.call('POST', '/api/admin/projects/default/features', { name });
}

async function setEnabled(hook: Hook, enabled: boolean): Promise<void> {
  const parameters = { url: receiver.url + hook.path };
  const body = { provider: 'webhook', enabled, parameters, events: types };
  await yardarm.call('PUT', `/api/admin/addons/${hook.id}`, body);
}

/** The flags whose creation arrived, and those whose outcome is listed. */
async function got(hook: Hook): Promise<{ arrived: (string | null)[]; handled: (string | null)[] }> {
  const { arrivals, outcomes } = await readSubscription(yardarm, hook, receiver.arrivals);
  return {
    arrived: arrivals.map(({ event }) => event.featureName),
    handled: outcomes.map(({ event }) => event.featureName).reverse(),
  };
}

test('one that was enabled again, a new one, and streams that are published once more bring no old events', async () => {
  const always = await addHook(yardarm, { url: receiver.url, path: '/always', types });
  const interrupted = await addHook(yardarm, { url: receiver.url, path: '/interrupted', types });
  await create(['before']);
  await untilDrained(yardarm, [always, interrupted]);

  await setEnabled(interrupted, false);
  await create(['while-disabled']);
  await untilDrained(yardarm, [always]);
  await setEnabled(interrupted, true);
  const late = await addHook(yardarm, { url: receiver.url, path: '/late', types });

  // Both streams are made again whole: EVENTS from the outboxes, RECORDED from the log.
  await yardarm.servers.crashNats(0, 'wiped');
  await yardarm.untilReady();
  await create(['after']);
  await untilDrained(yardarm, [always, late]);

  expect(await got(always)).toEqual({
    arrived: ['before', 'while-disabled', 'after'],
    handled: ['before', 'while-disabled', 'after'],
  });
  expect(await got(interrupted)).toEqual({ arrived: ['before', 'after'], handled: ['before', 'after'] });
  expect(await got(late)).toEqual({ arrived: ['after'], handled: ['after'] });
  expect((await readLog(yardarm)).filter(({ type }) => type === 'feature-created')).toHaveLength(3);
});
