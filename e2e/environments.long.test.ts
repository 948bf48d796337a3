// Environments over HTTP: their administration, the additions to a project, and what SDKs read before and after an
// environment is deleted and made again under its name.
import { eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system?.stop());

const environments = '/api/admin/environments';
const ofProject = '/api/admin/projects/default/environments';
const features = '/api/admin/projects/default/features';

const makeToken = async (environment: string) => {
  const body = { type: 'client', tokenName: environment, environment };
  return (await system.call('POST', '/api/admin/api-tokens', { body })).body.secret as string;
};

test('an environment is made, sorted, switched, listed with its counts and deleted', async () => {
  const made = await system.call('POST', environments, { body: { name: 'qa', type: 'test' } });
  expect(made).toMatchObject({ status: 201, body: { name: 'qa', type: 'test', enabled: true, sortOrder: 3 } });
  expect(made.headers.get('location')).toBe(`${environments}/qa`);
  expect(await system.call('GET', `${environments}/qa`)).toMatchObject({ status: 200, body: made.body });
  expect(await system.call('POST', `${environments}/validate`, { body: { name: 'qa' } })).toMatchObject({
    status: 409,
    body: { name: 'NameExistsError' },
  });
  expect(await system.call('POST', `${environments}/validate`, { body: { name: 'other' } })).toMatchObject({
    status: 200,
    text: '',
  });
  expect(await system.call('PUT', `${environments}/sort-order`, { body: { qa: 0 } })).toMatchObject({ status: 200 });
  expect(await system.call('PUT', `${environments}/update/qa`, { body: { type: 'preproduction' } })).toMatchObject({
    status: 200,
    body: { type: 'preproduction', sortOrder: 0 },
  });
  expect((await system.call('POST', `${environments}/qa/off`)).status).toBe(204);
  expect((await system.call('POST', ofProject, { body: { environment: 'qa' } })).status).toBe(400);
  expect((await system.call('POST', `${environments}/qa/on`)).status).toBe(204);
  expect(await system.call('POST', ofProject, { body: { environment: 'qa' } })).toMatchObject({
    status: 200,
    text: '',
  });
  expect((await system.call('POST', ofProject, { body: { environment: 'qa' } })).status).toBe(409);
  await makeToken('qa');
  const { body } = await system.call('GET', environments);
  expect(body.version).toBe(1);
  expect(body.environments[0]).toMatchObject({ name: 'qa', projectCount: 1, apiTokenCount: 1, enabledToggleCount: 0 });
  expect((await system.call('GET', `${environments}/project/default`)).body).toMatchObject({
    version: 1,
    environments: [{ name: 'qa', visible: true, projectApiTokenCount: 1, projectEnabledToggleCount: 0 }, {}, {}],
  });
  expect(await system.call('DELETE', `${environments}/qa`)).toMatchObject({
    status: 409,
    body: { name: 'ConflictError', message: expect.stringContaining('"default"') },
  });
  expect(await system.call('DELETE', `${ofProject}/qa`)).toMatchObject({ status: 200, text: '' });
  expect(await system.call('DELETE', `${environments}/qa`)).toMatchObject({ status: 200, text: '' });
  expect((await system.call('GET', `${environments}/qa`)).status).toBe(404);
});

test('a default strategy is answered, listed and given to a flag that is switched on', async () => {
  const body = { name: 'flexibleRollout', title: 'Half', parameters: { rollout: '50', stickiness: 'default' } };
  const path = `${ofProject}/production/default-strategy`;
  expect(await system.call('POST', path, { body })).toMatchObject({ status: 200, body });
  const listed = await system.call('GET', `${environments}/project/default`);
  expect(listed.body.environments.at(-1)).toMatchObject({ name: 'production', defaultStrategy: body });
  await system.call('POST', features, { body: { name: 'defaulted' } });
  await system.call('POST', `${features}/defaulted/environments/production/on`);
  const { body: flag } = await system.call('GET', `${features}/defaulted`);
  expect(flag.environments.at(-1).strategies).toMatchObject([{ title: 'Half', parameters: { rollout: '50' } }]);
});

test('after random changes, deletion and creation again, a running gateway serves the bytes of a new one', async () => {
  const names = ['one', 'two'];
  for (const name of ['default', 'second']) await system.call('POST', features, { body: { name } });
  for (const name of names) await system.call('POST', environments, { body: { name, type: 'test' } });
  // Tokens of a deleted environment are deleted with it, so each round makes its own.
  let tokens = await Promise.all(names.map(makeToken));
  const act = [
    (name: string) => system.call('POST', ofProject, { body: { environment: name } }),
    (name: string) => system.call('DELETE', `${ofProject}/${name}`),
    (name: string) => system.call('DELETE', `${environments}/${name}`),
    (name: string) => system.call('POST', environments, { body: { name, type: 'test' } }),
    (name: string) => system.call('POST', `${features}/second/environments/${name}/on`),
    (name: string) => system.call('POST', `${features}/second/environments/${name}/off`),
  ];
  const read = (token: string, url?: string) =>
    system.call('GET', '/api/client/features', { token, ...(url !== undefined && { url }) });
  // A fixed sequence of pseudo-random numbers, so that a failure repeats.
  let state = 7;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  for (let round = 0; round < 3; round++) {
    for (let step = 0; step < 25; step++) {
      const result = await act[random(act.length)]!(names[random(names.length)]!);
      expect(result.status).toBeLessThan(500);
      if (random(4) === 0) await read(tokens[random(2)]!);
    }
    for (const name of names) {
      await system.call('POST', environments, { body: { name, type: 'test' } });
      await system.call('POST', ofProject, { body: { environment: name } });
    }
    tokens = await Promise.all(names.map(makeToken));
    await system.processAll();
    const url = await system.addGateway();
    for (const token of tokens) {
      await eventually(async () => {
        const [running, fresh] = [await read(token), await read(token, url)];
        expect(fresh.body.features).toHaveLength(3);
        expect([running.text, running.headers.get('etag')]).toEqual([fresh.text, fresh.headers.get('etag')]);
      });
    }
  }
}, 60_000);

test('a clone serves what its source serves', async () => {
  await system.call('POST', `${features}/second/environments/production/on`);
  const body = { name: 'clone', type: 'production', projects: ['default'] };
  const clone = await system.call('POST', `${environments}/production/clone`, { body });
  expect(clone).toMatchObject({ status: 200, body: { name: 'clone', type: 'production' } });
  const token = await makeToken('clone');
  await system.processAll();
  await eventually(async () => {
    const source = await system.call('GET', '/api/client/features', { token: system.clientTokens.production });
    const copy = await system.call('GET', '/api/client/features', { token });
    expect(copy.body.features).toEqual(source.body.features);
    expect(copy.body.features.filter(({ enabled }: { enabled: boolean }) => enabled)).toHaveLength(2);
  });
});

test.each(['constructor', 'valueOf', 'hasOwnProperty'])(
  'an environment and a project may have the name %s, which every object inherits',
  async (name) => {
    await system.call('POST', environments, { body: { name, type: 'test' } });
    const made = await system.call('POST', '/api/admin/projects', { body: { id: name, name, environments: [name] } });
    expect(made.status).toBe(201);
    const token = await makeToken(name);
    const flag = `of-${name}`;
    const turn = (state: string) =>
      system.call('POST', `/api/admin/projects/${name}/features/${flag}/environments/${name}/${state}`);
    await system.call('POST', `/api/admin/projects/${name}/features`, { body: { name: flag } });
    const isOn = async () => {
      const { body } = await system.call('GET', '/api/client/features', { token });
      return body.features.find((each: { name: string }) => each.name === flag)?.enabled;
    };
    for (const state of ['on', 'off', 'on'] as const) {
      expect((await turn(state)).status).toBe(200);
      await eventually(async () => expect(await isOn()).toBe(state === 'on'));
    }
    const url = await system.addGateway();
    expect((await system.call('GET', '/api/client/features', { token, url })).body.features).toHaveLength(1);
    const listed = await system.call('GET', `${environments}/project/${name}`);
    expect(listed.body.environments).toContainEqual(expect.objectContaining({ name, projectApiTokenCount: 1 }));
  },
);

test.each([
  ['environments', { name: '__proto__', type: 'test' }],
  ['projects', { id: '__proto__', name: 'x' }],
  ['context', { name: '__proto__' }],
  ['strategies', { name: 'x', parameters: [{ name: '__proto__', type: 'string' }] }],
])('%s are not made with __proto__ as the key of a record', async (kind, body) => {
  expect(await system.call('POST', `/api/admin/${kind}`, { body })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('__proto__') },
  });
});
