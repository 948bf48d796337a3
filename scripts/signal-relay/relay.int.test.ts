// The relay in front of a server that refuses: when it sends again, in which order, and how many deliveries wait.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { eventually, longTest } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Relay, startRelay } from './relay.ts';
import { signedHeaders } from './signatures.ts';

const secret = 'the secret of the webhook';

let relay: Relay;
/** What has arrived, with the answers that are not sent yet. */
let requests: { key: string | undefined; body: unknown; response: ServerResponse }[];
let logged: string[];
const server = createServer(async (request, response) => {
  const key = request.headers['idempotency-key'] as string | undefined;
  requests.push({ key, body: await json(request), response });
});

beforeEach(async () => {
  [requests, logged] = [[], []];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { sender: 'github', secret, token: 'token', host: '127.0.0.1', port: 0, url } as const;
  relay = await startRelay(options, (line) => void logged.push(line));
});

afterEach(async () => {
  await relay.stop();
  server.closeAllConnections();
  server.close();
});

function deliver(id: string) {
  const body = JSON.stringify({ id });
  const options = { method: 'POST', headers: signedHeaders('github', secret, id, body), body };
  return fetch(`http://127.0.0.1:${relay.port}/`, options);
}

/** Answers the request with this number when it has arrived. Status 0 breaks the connection off. */
async function answer(index: number, status: number): Promise<void> {
  const { response } = await eventually(() => {
    const found = requests[index];
    if (!found) throw new Error(`request ${index} has not arrived`);
    return found;
  });
  if (status === 0) response.destroy();
  else response.writeHead(status, { 'content-type': 'application/json' }).end('{"answered":true}');
}

longTest(
  'a delivery is sent again after 429, 502, 503, 504 and a broken connection, before those behind it',
  async () => {
    const refusals = [429, 502, 503, 504, 0];
    const first = deliver('first');
    await answer(0, refusals[0]!);
    const second = deliver('second');
    for (const [index, status] of refusals.entries()) if (index > 0) await answer(index, status);
    await answer(refusals.length, 200);
    await answer(refusals.length + 1, 400);
    expect([(await first).status, (await second).status]).toEqual([200, 400]);
    expect(requests.map(({ key, body }) => [key, body])).toEqual([
      ...[...refusals, 200].map(() => ['first', { id: 'first' }]),
      ['second', { id: 'second' }],
    ]);
  },
);

test.each([400, 401, 404, 413, 422, 500])('a delivery that is answered with %i is sent once', async (status) => {
  const delivered = deliver('once');
  await answer(0, status);
  const answered = await delivered;
  expect([answered.status, await answered.text()]).toEqual([status, '{"answered":true}']);
  expect(requests).toHaveLength(1);
});

test('a hundred deliveries wait, and the next one is refused', async () => {
  const waiting = Array.from({ length: 100 }, (_, index) => deliver(`${index}`));
  await eventually(() => expect(logged).toHaveLength(100));
  const refused = await deliver('too many');
  expect([refused.status, await refused.json()]).toEqual([503, { message: 'Too many webhooks are waiting.' }]);
  for (let index = 0; index < 100; index += 1) await answer(index, 200);
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
  const later = deliver('later');
  await answer(100, 200);
  expect((await later).status).toBe(200);
});
