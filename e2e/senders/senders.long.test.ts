// Every sender of docs/signals.md: its payloads switch a flag off when something alerts, and on again when it is
// resolved. Senders that cannot set an Authorization header send through the relay.
import { randomUUID } from 'node:crypto';
import { addServiceAccount, eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Relay, startRelay } from '../../scripts/signal-relay/relay.ts';
import { type SenderName, signedHeaders } from '../../scripts/signal-relay/signatures.ts';
import { actionSetsOf, type Occasion, payloadOf, type Sender, senders } from './senders.ts';

const project = 'default';
const environment = 'development';
const secret = 'the secret of the webhook';

let system: TestSystem;
let actorId: number;

beforeAll(async () => {
  system = await startSystem({ UNLEASH_SIGNAL_ENDPOINTS_LIMIT: '20', UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT: '20' });
  const editor = 2;
  actorId = (await addServiceAccount(system, editor)).id;
});

afterAll(() => system?.stop());

async function made(path: string, body: unknown) {
  const answer = await system.call('POST', path, { body });
  expect([200, 201]).toContain(answer.status);
  return answer.body;
}

/** Makes an endpoint with a token, and a flag that is on. */
async function prepare(name: string) {
  const flag = `${name}-flag`;
  await made(`/api/admin/projects/${project}/features`, { name: flag });
  const on = await system.call(
    'POST',
    `/api/admin/projects/${project}/features/${flag}/environments/${environment}/on`,
  );
  expect(on.status).toBe(200);
  const endpoint = await made('/api/admin/signal-endpoints', { name, ratePerSecond: 20 });
  const { token } = await made(`/api/admin/signal-endpoints/${endpoint.id}/tokens`, { name });
  return { flag, endpointId: endpoint.id as number, token: token as string, path: `/api/signal-endpoint/${name}` };
}

const relayTo = (sender: SenderName, url: string, token: string): Promise<Relay> =>
  startRelay({ sender, secret, url, token, host: '127.0.0.1', port: 0 }, () => {});

/** Sends as the sender does: with the token, or signed to a relay. */
async function send(sender: Sender, occasion: Occasion, to: Awaited<ReturnType<typeof prepare>>): Promise<void> {
  const body = payloadOf(sender, occasion, to.flag);
  const relayed = sender.isRelayed && (sender.name as SenderName);
  if (!relayed) {
    const answer = await system.call('POST', to.path, { token: `Bearer ${to.token}`, body });
    expect(answer).toMatchObject({ status: 200, body: { signals: [{ payload: JSON.parse(body) }] } });
    return;
  }
  const relay = await relayTo(relayed, `${system.url}${to.path}`, to.token);
  try {
    const headers = signedHeaders(relayed, secret, randomUUID(), body);
    const answer = await fetch(`http://127.0.0.1:${relay.port}/`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ signals: [{ payload: JSON.parse(body) }] });
  } finally {
    await relay.stop();
  }
}

async function isOn(flag: string): Promise<boolean> {
  const { body } = await system.call('GET', `/api/admin/projects/${project}/features/${flag}`);
  return body.environments.find(({ name }: { name: string }) => name === environment).enabled;
}

async function runsOf(setId: number) {
  const { body } = await system.call('GET', `/api/admin/projects/${project}/actions/${setId}/events`);
  return body.actionSetEvents;
}

test.each(senders.map((sender) => [sender.name, sender] as const))(
  '%s switches a flag off with an alert and on with its resolution',
  async (name, sender) => {
    const to = await prepare(name);
    const [off, on] = await Promise.all(
      actionSetsOf(sender, { ...to, actorId, project, environment }).map((set) =>
        made(`/api/admin/projects/${project}/actions`, set),
      ),
    );
    await send(sender, 'alert', to);
    await eventually(async () => expect(await isOn(to.flag)).toBe(false));
    await send(sender, 'resolved', to);
    await eventually(async () => expect(await isOn(to.flag)).toBe(true));
    // Neither set reacted to the signal of the other.
    for (const { id } of [off, on]) {
      await eventually(async () => expect(await runsOf(id)).toMatchObject([{ actionSetId: id, state: 'success' }]));
    }
  },
);
