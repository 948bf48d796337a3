// The relay for senders that cannot set an Authorization header, in front of a whole system.
import { randomUUID } from 'node:crypto';
import { eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Relay, startRelay } from '../../scripts/signal-relay/relay.ts';
import { signedHeaders } from '../../scripts/signal-relay/signatures.ts';

const secret = 'the secret of the webhook';

let system: TestSystem;
let endpointId: number;
let token: string;
let relay: Relay | undefined;
const logged: string[] = [];

beforeAll(async () => {
  system = await startSystem();
  const endpoint = await system.call('POST', '/api/admin/signal-endpoints', { body: { name: 'relayed' } });
  endpointId = endpoint.body.id;
  const path = `/api/admin/signal-endpoints/${endpointId}/tokens`;
  token = (await system.call('POST', path, { body: { name: 'relay' } })).body.token;
});

afterEach(() => relay?.stop());
afterAll(() => system?.stop());

const start = (name = 'relayed') =>
  startRelay(
    {
      ...{ sender: 'github', secret, token, host: '127.0.0.1', port: 0 },
      url: `${system.url}/api/signal-endpoint/${name}`,
    },
    (line) => void logged.push(line),
  );

function deliver(body: string, headers: Record<string, string> = signedHeaders('github', secret, randomUUID(), body)) {
  return fetch(`http://127.0.0.1:${relay?.port}/`, { method: 'POST', headers, body });
}

async function stored(): Promise<unknown[]> {
  await system.processAll();
  const { body } = await system.call('GET', `/api/admin/signal-endpoints/${endpointId}/signals`);
  return body.signalEndpointSignals.map(({ payload }: { payload: unknown }) => payload);
}

test('sends on what is signed, and nothing else', async () => {
  relay = await start();
  const body = '{"first": 1}';
  const signed = signedHeaders('github', secret, randomUUID(), body);
  expect((await deliver(`${body} `, signed)).status).toBe(401);
  expect((await deliver(body, signedHeaders('github', 'another secret', randomUUID(), body))).status).toBe(401);
  expect((await deliver(body, { 'content-type': 'application/json' })).status).toBe(401);
  expect((await deliver(body, { ...signed, 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
  expect((await fetch(`http://127.0.0.1:${relay.port}/`)).status).toBe(405);
  const large = 'x'.repeat(900_001);
  expect((await deliver(large, signedHeaders('github', secret, randomUUID(), large))).status).toBe(413);
  expect((await deliver(body, signed)).status).toBe(200);
  expect(await stored()).toEqual([{ first: 1 }]);
});

test('waits while the endpoint has no admission, and keeps the order', async () => {
  relay = await start();
  const before = await stored();
  const answers = [];
  for (const n of [1, 2, 3]) {
    const body = `{"ordered": ${n}}`;
    const id = randomUUID();
    answers.push(deliver(body, signedHeaders('github', secret, id, body)));
    await eventually(() => expect(logged).toContain(`github: received ${id}`));
  }
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  const [third, second, first, ...rest] = await stored();
  expect([first, second, third]).toEqual([{ ordered: 1 }, { ordered: 2 }, { ordered: 3 }]);
  expect(rest).toEqual(before);
});

test('sends the id of the delivery, so a delivery that comes again is the same signal', async () => {
  relay = await start();
  const body = '{"again": true}';
  const headers = signedHeaders('github', secret, randomUUID(), body);
  const first = await (await deliver(body, headers)).json();
  expect(await (await deliver(body, headers)).json()).toEqual(first);
  expect((await stored()).filter((payload) => JSON.stringify(payload) === '{"again":true}')).toHaveLength(1);
});

test('answers with what Yardarm refuses', async () => {
  relay = await start('nowhere');
  const refused = await deliver('{}');
  expect(refused.status).toBe(404);
  expect(await refused.json()).toMatchObject({ name: 'NotFoundError' });
  await relay.stop();
  relay = await start();
  expect((await deliver('{"cut":')).status).toBe(400);
});
