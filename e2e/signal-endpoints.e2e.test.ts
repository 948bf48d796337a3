// Signal endpoints and their tokens over HTTP: everything that an administrator writes is listed and recorded.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const path = '/api/admin/signal-endpoints';
const publicUrl = 'https://flags.example.com/behind';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem({ UNLEASH_URL: publicUrl });
});

afterAll(() => system?.stop());

/** The data before and after of the events of these types, oldest first. */
async function events(...types: string[]) {
  await system.processAll();
  const { body } = await system.call('GET', '/api/admin/search/events?limit=100');
  return body.events
    .filter(({ type }: { type: string }) => types.includes(type))
    .map(({ type, data, preData }: Record<string, unknown>) => ({ type, data, preData }))
    .toReversed();
}

test('an endpoint is made, changed, switched and deleted', async () => {
  const created = await system.call('POST', path, { body: { name: 'alerts', description: 'One', ratePerSecond: 5 } });
  expect(created).toMatchObject({ status: 201, body: { url: `${publicUrl}/api/signal-endpoint/alerts` } });
  const { id, url: _, tokens: _none, ...first } = created.body;
  expect(created.headers.get('location')).toBe(`${path}/${id}`);

  const body = { name: 'alarms', description: 'Two', enabled: false, ratePerSecond: 10_000 };
  const updated = await system.call('PUT', `${path}/${id}`, { body });
  const second = { ...first, ...body };
  expect(updated).toMatchObject({
    ...{ status: 200, body: { id, ...second, tokens: [], url: `${publicUrl}/api/signal-endpoint/alarms` } },
  });
  const on = await system.call('POST', `${path}/${id}/on`);
  expect(on).toMatchObject({ status: 200, body: { id, ...second, enabled: true } });
  expect((await system.call('GET', path)).body).toEqual({
    signalEndpoints: [{ id, ...second, enabled: true, tokens: [] }],
  });
  const off = await system.call('POST', `${path}/${id}/off`);
  expect(off).toMatchObject({ status: 200, body: { id, ...second } });
  const deleted = await system.call('DELETE', `${path}/${id}`);
  expect([deleted.status, deleted.text]).toEqual([200, '']);
  expect((await system.call('DELETE', `${path}/${id}`)).status).toBe(404);
  expect((await system.call('GET', path)).body).toEqual({ signalEndpoints: [] });

  const [one, two, three] = [
    { id, ...first },
    { id, ...second },
    { id, ...second, enabled: true },
  ];
  expect(await events('signal-endpoint-created', 'signal-endpoint-updated', 'signal-endpoint-deleted')).toEqual([
    { type: 'signal-endpoint-created', data: one, preData: null },
    { type: 'signal-endpoint-updated', data: two, preData: one },
    { type: 'signal-endpoint-updated', data: three, preData: two },
    { type: 'signal-endpoint-updated', data: two, preData: three },
    { type: 'signal-endpoint-deleted', data: null, preData: two },
  ]);
});

test('a token is made, renamed and deleted, and shows its secret once', async () => {
  const endpoint = await system.call('POST', path, { body: { name: 'with-tokens' } });
  const tokens = `${path}/${endpoint.body.id}/tokens`;
  const created = await system.call('POST', tokens, { body: { name: 'grafana' } });
  const { token: secret, ...first } = created.body;
  expect(created).toMatchObject({ status: 201, body: { name: 'grafana', token: expect.stringMatching(/^signal_/) } });
  expect(created.headers.get('location')).toBe(`${tokens}/${first.id}`);

  const renamed = await system.call('PUT', `${tokens}/${first.id}`, { body: { name: 'grafana cloud' } });
  const second = { ...first, name: 'grafana cloud' };
  expect([renamed.status, renamed.body]).toEqual([200, second]);
  expect((await system.call('GET', tokens)).body).toEqual({ signalEndpointTokens: [second] });
  const deleted = await system.call('DELETE', `${tokens}/${first.id}`);
  expect([deleted.status, deleted.text]).toEqual([200, '']);
  expect((await system.call('GET', tokens)).body).toEqual({ signalEndpointTokens: [] });

  const types = ['signal-endpoint-token-created', 'signal-endpoint-token-updated', 'signal-endpoint-token-deleted'];
  const recorded = await events(...types);
  expect(recorded).toEqual([
    { type: types[0], data: first, preData: null },
    { type: types[1], data: second, preData: first },
    { type: types[2], data: null, preData: second },
  ]);
  expect(JSON.stringify(recorded)).not.toContain(secret);
});

test.each([
  ['PUT', '/1', { name: 'a b' }, ['.name', 'a b']],
  ['PUT', '/1', { name: 'x', ratePerSecond: 10_001 }, ['.ratePerSecond', '10001']],
  ['PUT', '/1', { name: 'x', ratePerSecond: '5' }, ['.ratePerSecond', '5']],
  ['PUT', '/1', { name: 'x', enabled: 'yes' }, ['.enabled', 'yes']],
  ['PUT', '/1', { name: 'x', description: 'd'.repeat(1001) }, ['.description', 'ddd']],
  ['PUT', '/1/tokens/1', { name: ' ' }, ['.name']],
])('%s %s with %j is refused, naming the property and the value', async (method, suffix, body, parts) => {
  const refused = await system.call(method, `${path}${suffix}`, { body });
  expect(refused).toMatchObject({ status: 400, body: { name: 'ValidationError' } });
  for (const part of parts) expect(refused.body.message).toContain(part);
});

test.each([
  ['PUT', '/0', { name: 'x' }],
  ['POST', '/none/on', undefined],
  ['POST', '/99999999999/off', undefined],
  ['DELETE', '/987654', undefined],
  ['PUT', '/987654/tokens/1', { name: 'x' }],
  ['DELETE', '/987654/tokens/none', undefined],
])('%s %s of something unknown is not found', async (method, suffix, body) => {
  const answer = await system.call(method, `${path}${suffix}`, { body });
  expect(answer).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});
