// `yardarm tail` waits for a gateway that is away, and ends when it is refused.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { openApi } from './api.ts';
import { tailEvents } from './tail-events.ts';
import { tailSignals } from './tail-signals.ts';

let gateway: Server;

afterEach(() => {
  vi.unstubAllEnvs();
  gateway.closeAllConnections();
  gateway.close();
});

/** A gateway that gives one answer after the other, and the last one again and again. */
async function apiWith(answers: RequestListener[]) {
  let count = 0;
  gateway = createServer((request, response) => answers[Math.min(count++, answers.length - 1)]!(request, response));
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('YARDARM_URL', `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`);
  vi.stubEnv('YARDARM_ADMIN_TOKEN', '*:*.secret');
  return openApi();
}

const answer =
  (status: number, body: object): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const revoked = answer(401, { message: 'the token was revoked' });
const away = answer(503, { message: 'NATS does not answer' });
const events =
  (id: number): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`id: ${id}\ndata: {"id":${id}}\n\n`);

test('tail events goes on after an outage, and ends with the reason when its token is revoked', async () => {
  const cut: RequestListener = (request) => void request.socket.destroy();
  const api = await apiWith([events(1), away, cut, events(2), revoked]);
  const printed: unknown[] = [];
  const ended = tailEvents(api, {}, (event) => printed.push(event), new AbortController().signal);
  await expect(ended).rejects.toThrow('answered 401: the token was revoked');
  expect(printed).toEqual([{ id: 1 }, { id: 2 }]);
});

test('tail signals goes on after an outage, and ends with the reason when its token is revoked', async () => {
  const endpoints = answer(200, { signalEndpoints: [{ id: 1, name: 'alerts' }] });
  const signals = (...ids: number[]) => answer(200, { signalEndpointSignals: ids.map((id) => ({ id })) });
  const deleted = answer(404, { message: 'there is no signal endpoint 1' });
  const api = await apiWith([endpoints, signals(1), away, endpoints, deleted, endpoints, signals(2, 1), revoked]);
  const printed: unknown[] = [];
  const ended = tailSignals(api, undefined, (signal) => printed.push(signal), new AbortController().signal);
  await expect(ended).rejects.toThrow('answered 401: the token was revoked');
  expect(printed).toEqual([{ endpoint: 'alerts', id: 2 }]);
}, 30_000);
