// Action sets over HTTP: what consoles read and write, and that a set names only what exists and its actor may do.
import { addRole, addServiceAccount, type TestServiceAccount, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let robot: TestServiceAccount;
let endpoint: { id: number };

const path = '/api/admin/projects/default/actions';
const toggle = { project: 'default', environment: 'production', featureName: 'checkout' };
const makeSet = (over = {}) => ({
  ...{ name: 'Switch off at an alert', actorId: robot.id },
  actions: [{ action: 'TOGGLE_FEATURE_OFF', sortOrder: 1, executionParams: toggle }],
  match: {
    ...{ source: 'signal-endpoint', sourceId: endpoint.id },
    payload: { 'labels.severity': { operator: 'IN', values: ['critical'] } },
  },
  ...over,
});
const post = (to: string, body: unknown = {}) => system.call('POST', to, { body });

beforeAll(async () => {
  system = await startSystem({ UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT: '2' });
  robot = await addServiceAccount(system, 2);
  endpoint = (await post('/api/admin/signal-endpoints', { name: 'alerts' })).body;
  expect((await post('/api/admin/projects/default/features', { name: 'checkout' })).status).toBe(201);
});

afterAll(() => system?.stop());

test('a set is made, listed, replaced, switched and deleted, with its events', async () => {
  const made = await post(path, makeSet());
  expect(made).toMatchObject({
    status: 201,
    body: {
      ...makeSet({ match: { source: 'signal-endpoint', sourceId: endpoint.id } }),
      ...{ id: expect.any(Number), project: 'default', description: null, enabled: true, cooldownSeconds: 0 },
    },
  });
  const one = `${path}/${made.body.id}`;
  expect(made.headers.get('location')).toBe(one);
  expect(await system.call('GET', path)).toMatchObject({ status: 200, body: { actions: [made.body] } });

  const replaced = await system.call('PUT', one, { body: makeSet({ name: 'Renamed', cooldownSeconds: 60 }) });
  expect(replaced).toMatchObject({ status: 200, body: { ...made.body, name: 'Renamed', cooldownSeconds: 60 } });
  expect(await post(`${one}/off`)).toMatchObject({ status: 200, body: { ...replaced.body, enabled: false } });
  expect(await post(`${one}/on`)).toMatchObject({ status: 200, body: replaced.body });
  const deleted = await system.call('DELETE', one);
  expect(deleted).toMatchObject({ status: 200, text: '' });
  for (const answer of [await post(`${one}/on`), await system.call('DELETE', one)]) {
    expect(answer).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
  }

  await system.processAll();
  const found = await system.call('GET', '/api/admin/search/events?project=IS:default&limit=5');
  expect(found.body.events).toMatchObject([
    { type: 'actions-deleted', preData: replaced.body },
    { type: 'actions-updated', data: { enabled: true }, preData: { enabled: false } },
    { type: 'actions-updated', data: { enabled: false }, preData: { enabled: true } },
    { type: 'actions-updated', data: replaced.body, preData: made.body },
    { type: 'actions-created', data: made.body },
  ]);
});

test('a test shows what a payload would do', async () => {
  const actions = [
    { action: 'SET_ROLLOUT', sortOrder: 1, executionParams: { ...toggle, rollout: '{{payload.labels.percent}}' } },
  ];
  const tested = await post(`${path}/test`, {
    actionSet: makeSet({ actions }),
    payload: { labels: { severity: 'critical', percent: 25 } },
  });
  expect(tested).toMatchObject({
    status: 200,
    body: {
      matches: true,
      filters: [{ parameter: 'labels.severity', value: 'critical', matches: true }],
      steps: [{ action: 'SET_ROLLOUT', sortOrder: 1, parameters: { ...toggle, rollout: '25' }, problem: null }],
    },
  });
  expect((await system.call('GET', path)).body).toEqual({ actions: [] });
});

test.each([
  ['1e400', '1e400'],
  ['12345678901234567890', '12345678901234567890'],
  ['"\\u0000"', '\u0000'],
  ['"\\ud800"', '\ud800'],
])('a test takes the payload as sending does: %s', async (sent, value) => {
  const match = {
    source: 'signal-endpoint',
    sourceId: endpoint.id,
    payload: { p: { operator: 'NOT_IN', values: ['x'] } },
  };
  const body = `{"actionSet":${JSON.stringify(makeSet({ match }))},"payload":{"p":${sent}}}`;
  const tested = await post(`${path}/test`, body);
  expect(tested).toMatchObject({ status: 200, body: { matches: true, filters: [{ parameter: 'p' }] } });
  expect(JSON.stringify(tested.body.filters[0].value)).toBe(JSON.stringify(value));
});

test.each([
  ['no document', undefined, 'request payload is required'],
  ['half a document', '{"actionSet":', 'not well-formed JSON'],
  ['a payload of 101 levels', `{"payload":${'['.repeat(101)}${']'.repeat(101)}}`, 'nested deeper'],
  [
    'an action set with 1e400',
    '{"actionSet":{"name":1e400}}',
    '.actionSet.name property should be a number of 64 bits',
  ],
])('a test is refused with %s', async (_title, body, words) => {
  const refused = await system.call('POST', `${path}/test`, { body });
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(words) } });
});

test('the configuration has the actions with the environments of the project', async () => {
  const { status, body } = await system.call('GET', `${path}/config`);
  expect(status).toBe(200);
  expect(Object.keys(body)).toHaveLength(8);
  expect(body.TOGGLE_FEATURE_ON).toMatchObject({
    permissions: ['UPDATE_FEATURE_ENVIRONMENT'],
    parameters: [
      { name: 'project', type: 'hidden', options: ['default'] },
      { name: 'environment', type: 'select', options: expect.arrayContaining(['development', 'production']) },
      { name: 'featureName', type: 'select' },
    ],
  });
});

test('the third set exceeds a limit of two, also when two are made at once', async () => {
  expect((await post(path, makeSet({ name: 'first' }))).status).toBe(201);
  const answers = await Promise.all(['second', 'third'].map((name) => post(path, makeSet({ name }))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({ name: 'ExceedsLimitError' });
  const ui = await system.call('GET', '/api/admin/ui-config');
  expect(ui.body.resourceLimits).toMatchObject({ actionSetsPerProject: 2, actionSetActions: 10 });
  const { actions } = (await system.call('GET', path)).body;
  const taken = await system.call('PUT', `${path}/${actions[1].id}`, { body: makeSet({ name: 'first' }) });
  expect(taken).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  for (const { id } of actions) expect((await system.call('DELETE', `${path}/${id}`)).status).toBe(200);
});

test('a set whose actor may not do its actions is refused with the permission', async () => {
  const role = await addRole(system, 'root-custom', [{ name: 'CREATE_SEGMENT' }]);
  const other = await addServiceAccount(system, role);
  expect(await post(path, makeSet({ actorId: other.id }))).toMatchObject({
    status: 400,
    body: { name: 'BadDataError', message: expect.stringContaining('UPDATE_FEATURE_ENVIRONMENT') },
  });
  // The id of a person, which no service account has.
  const me = await system.call('GET', '/api/admin/user-admin');
  const person = me.body.users[0].id;
  expect(await post(path, makeSet({ actorId: person }))).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('.actorId property should be the id of a service account') },
  });
});

const deep = `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`;

test.each<[string, () => unknown, string]>([
  ['half a body', () => '{"name":', 'JSON'],
  ['a list', () => [], 'object'],
  ['another property', () => makeSet({ colour: 'red' }), '.colour'],
  [
    'the filter __proto__',
    () => JSON.stringify(makeSet()).replace('labels.severity', '__proto__'),
    '.match.payload.__proto__',
  ],
  [
    'a filter with a name of 10 kB',
    () => JSON.stringify(makeSet()).replace('labels.severity', 'a'.repeat(10_000)),
    'at most 500 characters',
  ],
  [
    'a filter nested deep',
    () => JSON.stringify(makeSet()).replace('{"operator":"IN","values":["critical"]}', deep),
    'nested',
  ],
  ['an endpoint beyond the integers', () => makeSet({ match: { ...makeSet().match, sourceId: 2 ** 31 } }), '.sourceId'],
  ['an unknown endpoint', () => makeSet({ match: { ...makeSet().match, sourceId: 2 ** 31 - 1 } }), '.match.sourceId'],
  [
    'another project in a parameter',
    () => makeSet({ actions: [{ ...makeSet().actions[0], executionParams: { ...toggle, project: 'other' } }] }),
    '.actions[0].executionParams.project',
  ],
  [
    'an unknown flag',
    () => makeSet({ actions: [{ ...makeSet().actions[0], executionParams: { ...toggle, featureName: 'unknown' } }] }),
    '.actions[0].executionParams.featureName',
  ],
  [
    'an unknown environment',
    () => makeSet({ actions: [{ ...makeSet().actions[0], executionParams: { ...toggle, environment: 'unknown' } }] }),
    '.actions[0].executionParams.environment',
  ],
])('%s is refused with 400 that names it, and nothing is stored', async (_, makeBody, words) => {
  const answer = await post(path, makeBody());
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(words);
  expect((await system.call('GET', path)).body).toEqual({ actions: [] });
});

test.each(['0', 'abc', '99999999999'])('the set %s is not found', async (id) => {
  expect(await system.call('DELETE', `${path}/${id}`)).toMatchObject({ status: 404 });
});

test('for an unknown project there are no sets', async () => {
  for (const [method, to, body] of [
    ['GET', '/api/admin/projects/nowhere/actions', undefined],
    ['GET', '/api/admin/projects/nowhere/actions/config', undefined],
    [
      ...['POST', '/api/admin/projects/nowhere/actions'],
      makeSet({ actions: [{ ...makeSet().actions[0], executionParams: { ...toggle, project: 'nowhere' } }] }),
    ],
  ] as [string, string, unknown][]) {
    expect(await system.call(method, to, body === undefined ? {} : { body })).toMatchObject({ status: 404 });
  }
});

// Last, because flags stays away.
test('while flags is away nothing is saved, and a set can still be switched off', async () => {
  const { id } = (await post(path, makeSet())).body;
  await system.stopService('flags');
  const refused = await system.call('PUT', `${path}/${id}`, { body: makeSet({ name: 'Renamed' }) });
  expect(refused).toMatchObject({ status: 503, body: { name: 'UnavailableError' } });
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await post(`${path}/${id}/off`)).toMatchObject({
    status: 200,
    body: { enabled: false, name: makeSet().name },
  });
});
