// An integration gets only events after it was made or enabled again, also when older events are published again.
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
async function deliveredTo(hook: Hook): Promise<{ arrived: (string | null)[]; handled: (string | null)[] }> {
  const { arrivals, outcomes } = await readSubscription(yardarm, hook, receiver.arrivals);
  return {
    arrived: arrivals.map(({ event }) => event.featureName),
    handled: outcomes.map(({ event }) => event.featureName).reverse(),
  };
}

test('integrations that are new or enabled again get no old events, also when the stream is published again', async () => {
  const always = await addHook(yardarm, { url: receiver.url, path: '/always', types });
  const interrupted = await addHook(yardarm, { url: receiver.url, path: '/interrupted', types });
  await create(['before']);
  await untilDrained(yardarm, [always, interrupted]);

  await setEnabled(interrupted, false);
  await create(['while-disabled']);
  await untilDrained(yardarm, [always]);
  await setEnabled(interrupted, true);
  const late = await addHook(yardarm, { url: receiver.url, path: '/late', types });

  // EVENTS is published again completely, from the outboxes.
  await yardarm.servers.crashNats(0, 'wiped');
  await yardarm.untilReady();
  await create(['after']);
  await untilDrained(yardarm, [always, late]);

  expect(await deliveredTo(always)).toEqual({
    arrived: ['before', 'while-disabled', 'after'],
    handled: ['before', 'while-disabled', 'after'],
  });
  expect(await deliveredTo(interrupted)).toEqual({ arrived: ['before', 'after'], handled: ['before', 'after'] });
  expect(await deliveredTo(late)).toEqual({ arrived: ['after'], handled: ['after'] });
  expect((await readLog(yardarm)).filter(({ type }) => type === 'feature-created')).toHaveLength(3);
});
