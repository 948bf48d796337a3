// The client API: the listing, one flag, ETag and 304, per environment of the token.
import { eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
  await system.call('POST', '/api/admin/projects/default/features', {
    body: { name: 'listed.flag', impressionData: true },
  });
  await system.call('POST', '/api/admin/projects/default/features/listed.flag/environments/production/on');
  await system.processAll();
});

afterAll(() => system?.stop());

const client = (environment: 'development' | 'production', headers: Record<string, string> = {}) => ({
  token: system.clientTokens[environment],
  headers,
});

test('the first read of an environment has the changes that another environment has already served', async () => {
  const description = 'visible in both';
  const described = ({ body }: { body: { features: { description: string }[] } }) => body.features[0]?.description;
  await system.call('GET', '/api/client/features', client('development'));
  await system.call('PATCH', '/api/admin/projects/default/features/listed.flag', {
    body: [{ op: 'replace', path: '/description', value: description }],
  });
  await eventually(async () =>
    expect(described(await system.call('GET', '/api/client/features', client('development')))).toBe(description),
  );
  expect(described(await system.call('GET', '/api/client/features', client('production')))).toBe(description);
});

test('the listing shows each environment its own state', async () => {
  const development = await system.call('GET', '/api/client/features', client('development'));
  const production = await system.call('GET', '/api/client/features', client('production'));
  expect(development.body).toMatchObject({
    version: 2,
    features: [{ name: 'listed.flag', enabled: false, strategies: [] }],
  });
  expect(production.body).toMatchObject({
    version: 2,
    features: [
      {
        name: 'listed.flag',
        enabled: true,
        impressionData: true,
        project: 'default',
        strategies: [{ name: 'flexibleRollout' }],
      },
    ],
  });
});

test('one flag is the same as in the listing, and an unknown one is 404', async () => {
  const listing = await system.call('GET', '/api/client/features', client('production'));
  const one = await system.call('GET', '/api/client/features/listed.flag', client('production'));
  expect(one.status).toBe(200);
  expect(one.body).toEqual(listing.body.features[0]);
  const none = await system.call('GET', '/api/client/features/no-such-flag', client('production'));
  expect(none).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
});

test('an unchanged listing is a 304 without a body, a changed one is sent again', async () => {
  const first = await system.call('GET', '/api/client/features', client('development'));
  const etag = first.headers.get('etag') as string;
  expect(etag).toMatch(/^".+"$/);
  const again = await system.call(
    'GET',
    '/api/client/features',
    client('development', { 'if-none-match': `"x", W/${etag}` }),
  );
  expect(again).toMatchObject({ status: 304, text: '' });

  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'another' } });
  await eventually(async () => {
    const changed = await system.call('GET', '/api/client/features', client('development', { 'if-none-match': etag }));
    expect(changed.status).toBe(200);
    expect(changed.body.features.map(({ name }: { name: string }) => name)).toEqual(['another', 'listed.flag']);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });
});

test('an archived flag leaves the listing', async () => {
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'going' } });
  await eventually(async () =>
    expect((await system.call('GET', '/api/client/features/going', client('development'))).status).toBe(200),
  );
  const archived = await system.call('PATCH', '/api/admin/projects/default/features/going', {
    body: [{ op: 'replace', path: '/archived', value: true }],
  });
  expect(archived.status).toBe(200);
  // Also in production: the next test compares two answers of it.
  for (const environment of ['development', 'production'] as const)
    await eventually(async () =>
      expect((await system.call('GET', '/api/client/features/going', client(environment))).status).toBe(404),
    );
});

test('an answer from memory is the answer of the same route with a query', async () => {
  const answerTo = async (path: string, token: string, headers: Record<string, string>) => {
    const answer = await system.call('GET', path, { token, headers: { 'x-request-id': 'same', ...headers } });
    const { date: _, ...others } = Object.fromEntries(answer.headers);
    return { status: answer.status, text: answer.text, headers: others };
  };
  const etag = (await system.call('GET', '/api/client/features', client('production'))).headers.get('etag') as string;
  for (const [path, token, headers, status] of [
    ['/api/client/features', system.clientTokens.production, {}, 200],
    ['/api/client/features', system.clientTokens.production, { 'if-none-match': etag }, 304],
    ['/api/client/features/listed.flag', system.clientTokens.production, {}, 200],
    ['/api/client/features/no-such-flag', system.clientTokens.production, {}, 404],
    ['/api/admin/feature-types', system.adminToken, {}, 200],
    ['/api/admin/feature-types', system.clientTokens.production, {}, 403],
  ] as const) {
    const answer = await answerTo(path, token, headers);
    expect(answer.status).toBe(status);
    expect(await answerTo(`${path}?`, token, headers)).toEqual(answer);
  }
});

test('changes of feature types become visible', async () => {
  const lifetime = async () => {
    const { body } = await system.call('GET', '/api/admin/feature-types', { token: system.adminToken });
    return body.types.find(({ id }: { id: string }) => id === 'release').lifetimeDays;
  };
  expect(await lifetime()).toBe(40);
  await system.database.rows(`update flags.feature_types set lifetime_days = 41 where id = 'release'`);
  await eventually(async () => expect(await lifetime()).toBe(41));
});
