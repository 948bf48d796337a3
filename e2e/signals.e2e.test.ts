// A signal is accepted, stored and listed. Tokens, rate and size are checked.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let endpoint: { id: number; name: string };
let token: string;

beforeAll(async () => {
  system = await startSystem();
  const made = await system.call('POST', '/api/admin/signal-endpoints', {
    body: { name: 'cpu-over-90', description: 'from the monitor' },
  });
  expect(made).toMatchObject({
    status: 201,
    body: {
      name: 'cpu-over-90',
      enabled: true,
      url: expect.stringMatching(/^http.*\/api\/signal-endpoint\/cpu-over-90$/),
    },
  });
  endpoint = made.body;
  const issued = await system.call('POST', `/api/admin/signal-endpoints/${endpoint.id}/tokens`, {
    body: { name: 'grafana' },
  });
  expect(issued.status).toBe(201);
  token = issued.body.token;
});

afterAll(() => system?.stop());

/** Sends a signal, with retries while the endpoint's rate of one per second refuses it. */
async function send(body: unknown, options: { headers?: Record<string, string> } = {}) {
  return expect
    .poll(
      () => system.call('POST', '/api/signal-endpoint/cpu-over-90', { token: `Bearer ${token}`, body, ...options }),
      { interval: 100 },
    )
    .not.toMatchObject({ status: 429 });
}

test('is stored and listed with the token that sent it', async () => {
  const payload = { host: 'db-1', cpu: 97.5, text: 'ümläut 🏴‍☠️', nested: { list: [1, null, true] } };
  const answer = await system.call('POST', '/api/signal-endpoint/cpu-over-90', {
    token: `Bearer ${token}`,
    body: payload,
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { signals: [{ source: 'signal-endpoint', sourceId: endpoint.id, payload }] },
  });
  await system.processAll();
  const listed = await system.call('GET', `/api/admin/signal-endpoints/${endpoint.id}/signals`);
  expect(listed.body.signalEndpointSignals).toMatchObject([
    { id: answer.body.signals[0].id, payload, tokenName: 'grafana' },
  ]);
});

test('is refused with 429 and Retry-After when a second one comes within the second', async () => {
  await send({ first: true });
  const second = await system.call('POST', '/api/signal-endpoint/cpu-over-90', {
    token: `Bearer ${token}`,
    body: { second: true },
  });
  expect(second).toMatchObject({ status: 429, body: { name: 'RateLimitError' } });
  expect(second.headers.get('retry-after')).toBe('1');
});

test('needs no body', async () => {
  await send(undefined);
});

test('is refused without a token, with a foreign one, over 100 kB, and for an unknown endpoint', async () => {
  const path = '/api/signal-endpoint/cpu-over-90';
  const bearer = `Bearer ${token}`;
  expect((await system.call('POST', path, { token: null, body: {} })).status).toBe(401);
  expect((await system.call('POST', path, { token: 'Bearer signal_nope', body: {} })).status).toBe(401);
  expect((await system.call('POST', path, { token, body: {} })).status).toBe(401);
  expect((await system.call('POST', path, { token: `Bearer ${system.adminToken}`, body: {} })).status).toBe(403);
  const large = { big: 'x'.repeat(102_400) };
  expect((await system.call('POST', path, { token: bearer, body: large })).status).toBe(413);
  const headers = { 'content-type': 'text/plain' };
  expect((await system.call('POST', path, { token: bearer, body: 'text', headers })).status).toBe(415);
  expect((await system.call('POST', '/api/signal-endpoint/nowhere', { token: bearer, body: {} })).status).toBe(404);
  expect((await system.call('GET', '/api/admin/addons', { token })).status).toBe(403);
});
