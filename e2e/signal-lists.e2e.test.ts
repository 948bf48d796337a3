// The lists of stored signals over HTTP: their filters, who sees payloads, and that a payload is sent as it is stored.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCallerWithout } from './access-matrix/callers.ts';

const payload = '{ "big": 123456789012345678901234567890, "labels": {"severity": "critical"} }';

let system: TestSystem;
let endpointId: number;

beforeAll(async () => {
  system = await startSystem();
  const made = await system.call('POST', '/api/admin/signal-endpoints', { body: { name: 'alerts' } });
  endpointId = made.body.id;
  // As stored by a consumer: sending has tests of its own.
  await system.database.rows(
    `insert into signals.signals (id, endpoint_id, token_id, payload, created_at)
     values (1, $1, 5, $2, '2026-01-31T12:00:00Z'), (2, $1, 5, '"other"', '2026-02-01T12:00:00Z')`,
    [endpointId, payload],
  );
});

afterAll(() => system?.stop());

const get = (query = '', options: Parameters<TestSystem['call']>[2] = {}) =>
  system.call('GET', `/api/admin/signals${query}`, options);

test('the list over all endpoints has a total, and takes days, a page and a search', async () => {
  const all = await get();
  expect(all).toMatchObject({
    status: 200,
    body: {
      total: 2,
      signals: [
        { id: 2, payload: 'other' },
        { id: 1, sourceId: endpointId, sourceName: 'alerts' },
      ],
    },
  });
  expect(all.text).toContain(`"payload":${payload}`);
  expect((await get('?from=IS:2026-02-01')).body).toMatchObject({ total: 1, signals: [{ id: 2 }] });
  expect((await get('?to=IS:2026-01-31')).body).toMatchObject({ total: 1, signals: [{ id: 1 }] });
  expect((await get('?limit=1&offset=1')).body).toMatchObject({ total: 2, signals: [{ id: 1 }] });
  expect((await get('?payload=labels.severity=critical')).body).toMatchObject({ total: 1, signals: [{ id: 1 }] });
  expect((await get('?payload=labels.severity=low')).body).toEqual({ total: 0, signals: [] });
  expect((await get(`?sourceId=${endpointId}&hasRuns=false`)).body).toMatchObject({ total: 2 });
  expect((await get('?hasRuns=true')).body).toEqual({ total: 0, signals: [] });
  expect((await get(`?sourceId=${endpointId + 1}`)).body).toEqual({ total: 0, signals: [] });
});

test('the list of an endpoint takes the same', async () => {
  const list = (query: string) => system.call('GET', `/api/admin/signal-endpoints/${endpointId}/signals${query}`);
  const all = await list('');
  expect(all.body.signalEndpointSignals).toMatchObject([{ id: 2 }, { id: 1 }]);
  expect(all.text).toContain(`"payload":${payload}`);
  for (const query of ['?to=IS:2026-01-31', '?payload=labels.severity=critical', '?limit=1&offset=1']) {
    expect((await list(query)).body.signalEndpointSignals).toMatchObject([{ id: 1 }]);
  }
});

test('a caller without READ_LOGS sees the signals without payloads, and cannot search in them', async () => {
  const { headers } = await createCallerWithout(system, ['READ_LOGS']);
  const { status, body } = await get('', { token: null, headers });
  expect(status).toBe(200);
  expect(body).toMatchObject({ total: 2, signals: [{ id: 2 }, { id: 1 }] });
  expect(body.signals.filter((signal: object) => 'payload' in signal)).toEqual([]);
  const search = await get('?payload=labels.severity=critical', { token: null, headers });
  expect(search).toMatchObject({
    status: 403,
    body: { name: 'NoAccessError', message: expect.stringContaining('"READ_LOGS"') },
  });
});

test.each([
  ['from=2026-01-31', '.from', 'IS:'],
  ['to=IS:2026-02-30', '.to', 'day of the calendar'],
  ['limit=1001', '.limit', '1 to 1000'],
  ['offset=-1', '.offset', 'whole number'],
  ['sourceId=0', '.sourceId', 'whole number'],
  ['hasRuns=yes', '.hasRuns', 'true'],
  ['payload=severity', '.payload', 'a path and a value'],
  [`payload=a${'[0]'.repeat(2_000)}=x`, '.payload', 'at most 1000 characters'],
  ['payload=a%00=x', '.payload', 'U+0000'],
])('the query %s is refused with the name of the property', async (query, property, reason) => {
  const { status, body } = await get(`?${query}`);
  expect(status).toBe(400);
  expect(body.message).toContain(`${property} property`);
  expect(body.message).toContain(reason);
});
