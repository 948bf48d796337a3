// Segments, variants and dependencies over HTTP: the answers to administrators, and what SDKs get.
import { type CallOptions, eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const features = '/api/admin/projects/default/features';
const inProduction = (name: string, path: string) => `${features}/${name}/environments/production/${path}`;

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
  for (const name of ['child', 'parent']) await call('POST', features, { body: { name } });
});

afterAll(() => system?.stop());

const call = (method: string, path: string, options: CallOptions = {}) => system.call(method, path, options);

async function clientFeature(name: string) {
  await system.processAll();
  return (await call('GET', `/api/client/features/${name}`, { token: system.clientTokens.production })).body;
}

test('a segment is made, changed and deleted, and SDKs get its constraints with those of the strategy', async () => {
  const users = (...values: string[]) => [{ contextName: 'userId', operator: 'IN', values }];
  const created = await call('POST', '/api/admin/segments', { body: { name: 'testers', constraints: users('1') } });
  expect(created).toMatchObject({ status: 201, body: { name: 'testers', project: null, constraints: users('1') } });
  const path = `/api/admin/segments/${created.body.id}`;
  expect(created.headers.get('location')).toBe(path);
  expect((await call('POST', '/api/admin/segments/validate', { body: { name: 'testers' } })).status).toBe(409);
  expect(await call('POST', '/api/admin/segments/validate', { body: { name: 'x' } })).toMatchObject({ status: 204 });

  const strategy = { name: 'default', segments: [created.body.id] };
  const { body: added } = await call('POST', inProduction('child', 'strategies'), { body: strategy });
  await eventually(async () =>
    expect(await clientFeature('child')).toMatchObject({ strategies: [{ constraints: users('1') }] }),
  );
  const use = { featureName: 'child', projectId: 'default', environment: 'production', strategyName: 'default' };
  expect((await call('GET', `${path}/strategies`)).body).toEqual({
    strategies: [{ id: added.id, ...use }],
    changeRequestStrategies: [],
  });
  const set = {
    projectId: 'default',
    environmentId: 'production',
    strategyId: added.id,
    segmentIds: [created.body.id],
  };
  const answer = await call('POST', '/api/admin/segments/strategies', { body: set });
  expect(answer).toMatchObject({ status: 201, body: set });
  const ofStrategy = await call('GET', answer.headers.get('location')!);
  expect(ofStrategy.body.segments).toEqual((await call('GET', '/api/admin/segments')).body.segments);

  const update = { name: 'testers', constraints: users('1', '2') };
  expect(await call('PUT', path, { body: update })).toMatchObject({ status: 204, text: '' });
  await eventually(async () =>
    expect(await clientFeature('child')).toMatchObject({ strategies: [{ constraints: users('1', '2') }] }),
  );

  expect(await call('DELETE', path)).toMatchObject({ status: 409, body: { name: 'ConflictError' } });
  await call('DELETE', inProduction('child', `strategies/${added.id}`));
  expect(await call('DELETE', path)).toMatchObject({ status: 204, text: '' });
  expect((await call('GET', path)).status).toBe(404);
});

test('variants of an environment are read back and reach its SDKs', async () => {
  const path = inProduction('child', 'variants');
  const blue = { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' };
  const answer = { version: 1, variants: [blue] };
  expect(await call('PUT', path, { body: [{ name: 'blue', weight: 1 }] })).toMatchObject({ status: 200, body: answer });
  expect((await call('GET', path)).body).toEqual(answer);
  await eventually(async () => expect((await clientFeature('child')).variants).toEqual([blue]));

  const operations = [{ op: 'replace', path: '/0/name', value: 'sky' }];
  expect((await call('PATCH', path, { body: operations })).body.variants).toEqual([{ ...blue, name: 'sky' }]);
  const batch = { variants: [{ name: 'blue', weight: 1 }], environments: ['development', 'production'] };
  expect((await call('PUT', `${features}/child/variants-batch`, { body: batch })).body).toEqual(answer);
  expect((await call('GET', `${features}/child`)).body.environments).toMatchObject([
    { variants: [blue] },
    { variants: [blue] },
  ]);
});

test('a dependency reaches SDKs, and a form is told what it may offer', async () => {
  const path = `${features}/child/dependencies`;
  expect((await call('GET', `${features}/child/parents`)).body).toEqual(['parent']);
  expect((await call('GET', '/api/admin/projects/default/dependencies')).body).toBe(false);
  expect(await call('POST', path, { body: { feature: 'parent' } })).toMatchObject({ status: 200, text: '' });
  expect((await call('GET', '/api/admin/projects/default/dependencies')).body).toBe(true);
  await eventually(async () =>
    expect((await clientFeature('child')).dependencies).toEqual([{ feature: 'parent', enabled: true, variants: [] }]),
  );
  const chain = await call('POST', `${features}/parent/dependencies`, { body: { feature: 'child' } });
  expect(chain).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect((await call('GET', `${features}/child/parent-variants`)).body).toEqual(['blue']);
  expect(await call('DELETE', `${path}/parent`)).toMatchObject({ status: 200, text: '' });
  expect((await call('DELETE', path)).status).toBe(404);
});
