// Strategies, their types and constraints over HTTP, and what SDKs get of them.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
const features = '/api/admin/projects/default/features';

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system?.stop());

const call: TestSystem['call'] = (...args) => system.call(...args);

async function newFlag(name: string): Promise<string> {
  await call('POST', features, { body: { name } });
  return `${features}/${name}/environments/development`;
}

async function served(flag: string) {
  await system.processAll();
  return (await call('GET', `/api/client/features/${flag}`, { token: system.clientTokens.development })).body;
}

test('a strategy is added, replaced, patched, ordered and removed, and SDKs follow', async () => {
  const path = await newFlag('steps');
  expect(await call('GET', `${path}/strategies`)).toMatchObject({ status: 200, body: [] });
  const constraints = [
    { contextName: 'mail', operator: 'REGEX', value: '@example\\.com$', inverted: true },
    { contextName: 'ip', operator: 'IN_CIDR', values: ['10.0.0.0/8', '2001:db8::/32'] },
    { contextName: 'version', operator: 'SEMVER_GTE', value: '1.2.3' },
    { contextName: 'userId', operator: 'NOT_IN', values: [] },
  ];
  const added = await call('POST', `${path}/strategies`, { body: { name: 'flexibleRollout', constraints } });
  expect(added).toMatchObject({ status: 200, body: { constraints, sortOrder: 0 } });
  await call('POST', `${path}/on`);
  expect(await served('steps')).toMatchObject({ enabled: true, strategies: [{ constraints }] });

  const one = `${path}/strategies/${added.body.id}`;
  const replaced = await call('PUT', one, { body: { title: 'Half', parameters: { rollout: '50' } } });
  expect(replaced).toMatchObject({ status: 200, body: { title: 'Half', constraints: [] } });
  const body = [{ op: 'replace', path: '/parameters/rollout', value: '60' }];
  for (const type of ['application/json', 'application/json-patch+json']) {
    expect(await call('PATCH', one, { body, headers: { 'content-type': type } })).toMatchObject({ status: 200 });
  }
  expect(await call('GET', one)).toMatchObject({ status: 200, body: { parameters: { rollout: '60' } } });
  expect((await served('steps')).strategies).toMatchObject([{ constraints: [], parameters: { rollout: '60' } }]);

  const second = await call('POST', `${path}/strategies`, { body: { name: 'default' } });
  const order = [{ id: added.body.id, sortOrder: 5 }];
  expect(await call('POST', `${path}/strategies/set-sort-order`, { body: order })).toMatchObject({
    status: 200,
    text: '',
  });
  expect((await served('steps')).strategies.map(({ name }: { name: string }) => name)).toEqual([
    'default',
    'flexibleRollout',
  ]);
  for (const id of [second.body.id, added.body.id]) {
    expect(await call('DELETE', `${path}/strategies/${id}`)).toMatchObject({ status: 200, text: '' });
  }
  expect(await call('DELETE', one)).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
  expect(await served('steps')).toMatchObject({ enabled: false, strategies: [] });
});

test('a constraint is validated alone and in a strategy', async () => {
  const validate = (body: object) => call('POST', '/api/admin/constraints/validate', { body });
  expect(await validate({ contextName: 'a', operator: 'IN', values: [] })).toMatchObject({ status: 204, text: '' });
  const networks = { contextName: 'ip', operator: 'NOT_IN_CIDR', values: ['10.0.0.0/8'] };
  const path = await newFlag('constrained');
  const added = await call('POST', `${path}/strategies`, { body: { name: 'default', constraints: [networks] } });
  for (const refused of [await validate(networks), added]) {
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('operator property should be IN_CIDR with `inverted`');
    expect(refused.text).toContain('NOT_IN_CIDR');
  }
  expect(await validate({ contextName: 'a', operator: 'REGEX', value: '(' })).toMatchObject({
    ...{ status: 400, body: { name: 'BadDataError', message: expect.stringContaining('The .value property') } },
  });
});

test('a custom type is made, used, deprecated and deleted', async () => {
  const parameters = [{ name: 'countries', type: 'list', required: true }];
  const made = await call('POST', '/api/admin/strategies', { body: { name: 'country', parameters } });
  expect(made).toMatchObject({ status: 201, body: { name: 'country', editable: true, deprecated: false, parameters } });
  expect(made.headers.get('location')).toBe('/api/admin/strategies/country');
  expect(await call('POST', '/api/admin/strategies', { body: { name: 'country', parameters } })).toMatchObject({
    ...{ status: 409, body: { name: 'NameExistsError' } },
  });
  const all = await call('GET', '/api/admin/strategies');
  expect(all.body).toMatchObject({
    version: 1,
    strategies: [{ name: 'flexibleRollout', editable: false }, {}, {}, {}, {}, {}, {}, {}, { name: 'country' }],
  });

  const path = await newFlag('custom');
  const add = (sent: object) => call('POST', `${path}/strategies`, { body: { name: 'country', parameters: sent } });
  expect(await add({})).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(await add({ countries: 'NO,SE' })).toMatchObject({ status: 200 });
  await call('POST', `${path}/on`);
  expect(await served('custom')).toMatchObject({
    strategies: [{ name: 'country', parameters: { countries: 'NO,SE' } }],
  });

  for (const verb of ['deprecate', 'reactivate']) {
    expect(await call('POST', `/api/admin/strategies/country/${verb}`)).toMatchObject({ status: 200, text: '' });
  }
  expect(await call('DELETE', '/api/admin/strategies/country')).toMatchObject({
    ...{ status: 409, body: { name: 'ConflictError', message: expect.stringContaining('"custom"') } },
  });
  expect(await call('PUT', '/api/admin/strategies/default', { body: { parameters: [] } })).toMatchObject({
    status: 400,
  });
});
