// Proves the statuses, bodies and headers of the operations on whole flags over HTTP, as scripts and consoles see them.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const project = '/api/admin/projects/default';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
  for (const name of ['one', 'two']) await call('POST', `${project}/features`, { name });
});

afterAll(() => system?.stop());

const call = (method: string, path: string, body?: unknown) => system.call(method, path, { body });

test('an update answers the flag with its version as ETag', async () => {
  const answer = await call('PUT', `${project}/features/one`, { description: 'first', type: 'experiment' });
  expect(answer).toMatchObject({ status: 200, body: { name: 'one', description: 'first', type: 'experiment' } });
  expect(answer.headers.get('etag')).toBe('"2"');
  expect(answer.body).not.toHaveProperty('version');
});

test('a clone answers 201 with the copy, and a taken name 409', async () => {
  const answer = await call('POST', `${project}/features/one/clone`, { name: 'copy' });
  expect(answer).toMatchObject({ status: 201, body: { name: 'copy', description: 'first' } });
  const again = await call('POST', `${project}/features/one/clone`, { name: 'copy' });
  expect(again).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
});

test('a name is validated without a body in the answer', async () => {
  expect(await call('POST', '/api/admin/features/validate', { name: 'free' })).toMatchObject({ status: 200, text: '' });
  expect((await call('POST', '/api/admin/features/validate', { name: 'one' })).status).toBe(409);
  expect((await call('POST', '/api/admin/features/validate', { name: 'o ne' })).status).toBe(400);
});

test('a flag is switched on with its disabled strategies', async () => {
  await call('POST', `${project}/features`, { name: 'resting' });
  const path = `${project}/features/resting/environments/production`;
  await call('POST', `${path}/strategies`, { name: 'default', disabled: true });
  const query = 'shouldActivateDisabledStrategies';
  expect((await call('POST', `${path}/on?${query}=maybe`)).status).toBe(400);
  expect((await call('POST', `${path}/on?${query}=true`)).status).toBe(200);
  const strategies = [{ name: 'default', disabled: false }];
  expect(await call('GET', path)).toMatchObject({ body: { enabled: true, strategies } });
});

test('a request takes 5,000 of the longest names, also in a formatted document', async () => {
  const features = Array.from({ length: 5000 }, (_, index) => `flag-${index}`.padEnd(100, '.'));
  const send = (method: string, path: string, more: object) =>
    system.call(method, `${project}/${path}`, { body: JSON.stringify({ ...more, features }, null, 2) });
  for (const path of ['stale', 'archive', 'archive/validate', 'delete', 'revive']) {
    expect([path, (await send('POST', path, { stale: true })).status]).toEqual([path, expect.toBeOneOf([200, 202])]);
  }
  const tags = { addedTags: [{ type: 'simple', value: 'crew' }], removedTags: [] };
  expect((await send('PUT', 'tags', { tags })).body.message).toContain('names of flags of the project');
});

test('a name with every character that needs no encoding in a URL is the same on every path', async () => {
  const name = "-_.!~*'()";
  const created = await call('POST', `${project}/features`, { name });
  expect(created).toMatchObject({ status: 201, body: { name } });
  expect(await call('GET', `${project}/features/${name}`)).toMatchObject({ status: 200, body: { name } });
  expect((await call('POST', `${project}/features/${name}/environments/development/on`)).status).toBe(200);
  await system.processAll();
  const found = await call('GET', `/api/admin/search/features?query=${name}`);
  expect(found.body.features).toMatchObject([{ name }]);
  const { body: token } = await call('POST', '/api/admin/api-tokens', {
    ...{ type: 'client', environment: 'development', projects: ['*'], tokenName: 'characters' },
  });
  const asClient = (path: string) => system.call('GET', path, { token: token.secret });
  expect(await asClient(`/api/client/features/${name}`)).toMatchObject({ status: 200, body: { name, enabled: true } });
  const prefixed = await asClient(`/api/client/features?namePrefix=${name.slice(0, 5)}`);
  expect(prefixed.body.features).toMatchObject([{ name }]);
  const evaluate = `/ofrep/v1/evaluate/flags/${name}`;
  const evaluated = await system.call('POST', evaluate, { token: token.secret, body: { context: {} } });
  expect(evaluated).toMatchObject({ status: 200, body: { key: name, value: true } });
  expect((await call('DELETE', `${project}/features/${name}`)).status).toBe(202);
  expect((await call('DELETE', `/api/admin/archive/${name}`)).status).toBe(200);
});

test('flags are switched, marked, archived, revived and deleted together, without a body in the answers', async () => {
  const features = ['one', 'two', 'unknown'];
  const bulk = `${project}/bulk_features/environments/production`;
  const steps: [string, string, unknown, number][] = [
    ['POST', `${bulk}/on`, { features: ['one', 'two'] }, 200],
    ['POST', `${bulk}/off`, { features: ['one', 'two'] }, 200],
    ['POST', `${project}/stale`, { features, stale: true }, 202],
    ['POST', `${project}/archive`, { features }, 202],
    ['POST', `${project}/revive`, { features }, 200],
    ['DELETE', `${project}/features/one`, undefined, 202],
    ['DELETE', `${project}/features/two`, undefined, 202],
    ['POST', '/api/admin/archive/revive/one', undefined, 200],
    ['DELETE', '/api/admin/archive/two', undefined, 200],
    ['POST', `${project}/delete`, { features }, 200],
  ];
  for (const [method, path, body, status] of steps) {
    expect([path, await call(method, path, body)]).toMatchObject([path, { status, text: '' }]);
  }
  expect((await call('GET', `${project}/features/two`)).status).toBe(404);
  expect(await call('GET', `${project}/features/one`)).toMatchObject({ body: { archived: false, stale: true } });
  const validated = await call('POST', `${project}/archive/validate`, { features: ['one'] });
  expect(validated.body).toEqual({ parentsWithChildFeatures: [], hasDeletedDependencies: false });
});

test('a move to a project without the same environments is a 403 with the name of the public product', async () => {
  const created = await call('POST', '/api/admin/projects', {
    id: 'small',
    name: 'Small',
    environments: ['production'],
  });
  expect(created.status).toBe(201);
  const refused = await call('POST', `${project}/features/one/changeProject`, { newProjectId: 'small' });
  expect(refused).toMatchObject({ status: 403, body: { name: 'IncompatibleProjectError' } });
  await call('POST', '/api/admin/projects', { id: 'same', name: 'Same' });
  const moved = await call('POST', `${project}/features/one/changeProject`, { newProjectId: 'same' });
  expect(moved).toMatchObject({ status: 200, text: '' });
  const environment = await call('GET', '/api/admin/projects/same/features/one/environments/production');
  expect(environment).toMatchObject({ status: 200, body: { name: 'production', featureName: 'one', enabled: false } });
});
