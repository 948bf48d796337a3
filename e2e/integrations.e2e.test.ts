// Integrations: test, delivery, failure and redelivery; stored secrets and refused input.
import { addProject, startReceiver, type TestReceiver, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let receiver: TestReceiver;

beforeAll(async () => {
  [system, receiver] = await Promise.all([startSystem(), startReceiver()]);
});

afterAll(async () => {
  await system?.stop();
  await receiver?.close();
});

const addons = '/api/admin/addons';
const make = async (path: string, over: object = {}) => {
  const parameters = { url: `${receiver.url}${path}` };
  const body = { provider: 'webhook', enabled: true, parameters, events: ['feature-*'], ...over };
  const made = await system.call('POST', addons, { body });
  expect(made.status).toBe(201);
  return `${addons}/${made.body.id}`;
};
const createFlag = (name: string) => system.call('POST', '/api/admin/projects/default/features', { body: { name } });
const receivedAt = (path: string) => receiver.received.filter((request) => request.path === path);

test('an integration is tested, fails, lists every attempt, and the failed delivery is sent again', async () => {
  const addon = await make('/recovers');
  expect(await system.call('POST', `${addon}/test`)).toMatchObject({
    status: 200,
    body: { state: 'success', status: 200 },
  });

  receiver.answerWith((request) => (request.path === '/recovers' ? 503 : 200));
  await createFlag('recovers');
  await system.processAll();
  const failed = await system.call('GET', `${addon}/events`);
  const [outcome] = failed.body.integrationEvents;
  expect(outcome).toMatchObject({ state: 'failed', event: { type: 'feature-created', featureName: 'recovers' } });
  const attempts = await system.call('GET', `${addon}/events/${outcome.id}/attempts`);
  expect(attempts).toMatchObject({ status: 200, body: { attempts: [{ number: 1, status: 503, errorCode: null }] } });

  receiver.answerWith(200);
  const range = { from: outcome.event.id, to: outcome.event.id, onlyFailed: true };
  expect(await system.call('POST', `${addon}/redeliver`, { body: range })).toMatchObject({
    status: 202,
    body: { redelivered: 1 },
  });
  await system.processAll();
  expect((await system.call('GET', `${addon}/events`)).body.integrationEvents).toMatchObject([
    { id: outcome.id, createdAt: outcome.createdAt, state: 'success' },
  ]);
  expect(await system.call('POST', `${addon}/events/${outcome.id}/redeliver`)).toMatchObject({ status: 202 });
  await system.processAll();
  const ids = receivedAt('/recovers').map(({ headers }) => headers['webhook-id']);
  // One request of the test, then three of one event.
  expect(new Set(ids.slice(1)).size).toBe(1);
  expect(ids).toHaveLength(4);
});

test('secrets are not sent to a changed destination', async () => {
  const addon = await make('/theirs', {
    parameters: { url: `${receiver.url}/theirs`, authorization: 'Bearer of-theirs' },
  });
  const { body: made } = await system.call('GET', addon);
  const changed = { ...made, parameters: { ...made.parameters, url: `${receiver.url}/mine` } };
  const refused = await system.call('PUT', addon, { body: changed });
  expect(refused).toMatchObject({ status: 400, body: { details: [{ path: '.parameters.authorization' }] } });
  expect(await system.call('POST', `${addon}/test`)).toMatchObject({ status: 200 });
  expect(receivedAt('/theirs')).toMatchObject([{ headers: { authorization: 'Bearer of-theirs' } }]);
  expect(receivedAt('/mine')).toEqual([]);

  changed.parameters.authorization = 'Bearer of-mine';
  expect((await system.call('PUT', addon, { body: changed })).status).toBe(200);
  await system.call('POST', `${addon}/test`);
  expect(receivedAt('/mine')).toMatchObject([{ headers: { authorization: 'Bearer of-mine' } }]);
});

test('null empties lists, and an offset beyond the oldest outcome finds none', async () => {
  const addon = await make('/lists', { projects: ['default'], environments: ['production'] });
  const { body: made } = await system.call('GET', addon);
  const changed = await system.call('PUT', addon, { body: { ...made, projects: null, environments: null } });
  expect(changed).toMatchObject({ status: 200, body: { projects: [], environments: [] } });
  for (const offset of ['0', '1000000001', '9007199254740991']) {
    expect(await system.call('GET', `${addon}/events?offset=${offset}`)).toMatchObject({
      status: 200,
      body: { integrationEvents: [] },
    });
  }
});

test('the list for a project has the integrations that get its events', async () => {
  await addProject(system, 'elsewhere');
  const everywhere = await make('/everywhere');
  const elsewhere = await make('/elsewhere', { projects: ['elsewhere'] });
  const listed = await system.call('GET', `${addons}?project=default`);
  const paths = listed.body.addons.map(({ id }: { id: number }) => `${addons}/${id}`);
  expect(paths).toContain(everywhere);
  expect(paths).not.toContain(elsewhere);
});

test('secrets are encrypted in the database', async () => {
  await make('/a-very-secret-path');
  const rows = await system.database.rows('select * from integrations.integrations');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain('a-very-secret-path');
});

test.each([
  ['POST', 'redeliver', {}, '.from'],
  ['POST', 'redeliver', { from: 0, to: 1 }, '.from'],
  ['POST', 'redeliver', { from: 3, to: 2 }, '.to'],
  ['GET', 'events?limit=1001', undefined, '.limit'],
  ['GET', 'events?limit=0', undefined, '.limit'],
  ['GET', 'events?limit=ten', undefined, '.limit'],
  ['GET', 'events?offset=-1', undefined, '.offset'],
  ['GET', 'events?offset=1.5', undefined, '.offset'],
  ['GET', 'events?offset=9007199254740992', undefined, '.offset'],
])('%s %s with %o is refused and the error names the property', async (method, path, body, property) => {
  const addon = await make('/refusals');
  const refused = await system.call(method, `${addon}/${path}`, body === undefined ? {} : { body });
  const name = method === 'GET' ? 'BadDataError' : 'ValidationError';
  expect(refused).toMatchObject({ status: 400, body: { name } });
  expect(JSON.stringify(refused.body)).toContain(property);
});

test('filters name projects and environments that exist', async () => {
  const parameters = { url: `${receiver.url}/nowhere` };
  const body = { provider: 'webhook', enabled: true, parameters, events: ['*'], environments: ['nowhere'] };
  const refused = await system.call('POST', addons, { body });
  expect(refused).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(refused.body.message).toContain('.environments[0]');
  expect(refused.body.message).toContain('"nowhere"');
});
