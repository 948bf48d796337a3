// Outages of services: their routes answer 503 with the usual error shape and do nothing. SDKs still read from memory.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'kept' } });
  await system.processAll();
});

afterAll(() => system?.stop());

const unavailable = {
  status: 503,
  body: { name: 'UnavailableError', id: expect.any(String), message: expect.any(String) },
};

// The tests depend on their order: each one leaves more services stopped.
test('with flags down its admin routes are 503 with Retry-After, and SDKs still read', async () => {
  await system.stopService('flags');
  const refused = await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'never' } });
  expect(refused).toMatchObject(unavailable);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.body.message).toContain('flags');
  const listing = await system.call('GET', '/api/client/features', { token: system.clientTokens.development });
  expect(listing).toMatchObject({ status: 200, body: { features: [{ name: 'kept' }] } });
});

test('with flags down the other services answer', async () => {
  expect((await system.call('POST', '/api/admin/events/search', { body: {} })).status).toBe(200);
  expect((await system.call('GET', '/api/admin/addons')).status).toBe(200);
});

test('with events and integrations down their routes are 503', async () => {
  await Promise.all([system.stopService('events'), system.stopService('integrations')]);
  expect(await system.call('POST', '/api/admin/events/search', { body: {} })).toMatchObject(unavailable);
  expect(await system.call('GET', '/api/admin/addons/1/events')).toMatchObject(unavailable);
});

test('with signals down a signal is not accepted', async () => {
  await system.stopService('signals');
  const refused = await system.call('POST', '/api/signal-endpoint/any', { token: 'Bearer signal_x', body: {} });
  expect(refused).toMatchObject(unavailable);
});

test('with accounts down a cached SDK token still reads, and another cannot be checked', async () => {
  await system.stopService('accounts');
  const listing = await system.call('GET', '/api/client/features', { token: system.clientTokens.development });
  expect(listing.status).toBe(200);
  expect(await system.call('GET', '/api/client/features', { token: system.clientTokens.production })).toMatchObject(
    unavailable,
  );
  const ready = await system.call('GET', '/ready', { token: null });
  const accounts = { degraded: expect.stringContaining('accounts') };
  expect(ready).toMatchObject({ status: 200, body: { health: 'GOOD', parts: { bus: null, accounts } } });
});
