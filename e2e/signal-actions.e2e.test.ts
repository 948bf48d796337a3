// A signal runs the actions of the sets that it matches, in the name of their service account. Order, retries and
// crashes are tested in services/signals/runs.
import {
  addServiceAccount,
  eventually,
  grantProjectRole,
  type TestServiceAccount,
  type TestSystem,
} from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

const projectPath = '/api/admin/projects/default';
const environment = 'production';
const memberRole = 5;

let system: TestSystem;
let endpoint: { id: number; name: string };
let token: string;

async function created(path: string, body: object) {
  const answer = await system.call('POST', path, { body });
  if (answer.status > 201) throw new Error(`${path} answered ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A service account that is a member of the project. */
async function createMember(): Promise<TestServiceAccount> {
  const account = await addServiceAccount(system, 3);
  await grantProjectRole(system, 'default', memberRole, { users: [account.id] });
  return account;
}

async function createFlags(...names: string[]): Promise<void> {
  for (const name of names) await created(`${projectPath}/features`, { name });
}

/** Makes a set that switches flags on. Returns the path of its events. */
async function createSet(name: string, actorId: number, flags: readonly string[], payload: object = {}) {
  const { id } = await created(`${projectPath}/actions`, {
    ...{ name, actorId },
    match: { source: 'signal-endpoint', sourceId: endpoint.id, payload },
    actions: flags.map((featureName, index) => ({
      ...{ action: 'TOGGLE_FEATURE_ON', sortOrder: index + 1 },
      executionParams: { project: 'default', environment, featureName },
    })),
  });
  return { id, events: `${projectPath}/actions/${id}/events` };
}

const send = async (body: unknown) => {
  const answer = await system.call('POST', `/api/signal-endpoint/${endpoint.name}`, { token: `Bearer ${token}`, body });
  expect(answer.status).toBe(200);
  return answer.body.signals[0];
};

const isOn = async (flag: string): Promise<boolean> =>
  (await system.call('GET', `${projectPath}/features/${flag}/environments/${environment}`)).body.enabled;

beforeAll(async () => {
  system = await startSystem({ SIGNAL_ENDPOINT_RATE_LIMIT_PER_SECOND: '10' });
  endpoint = await created('/api/admin/signal-endpoints', { name: 'alerts' });
  token = (await created(`/api/admin/signal-endpoints/${endpoint.id}/tokens`, { name: 'sender' })).token;
});

afterAll(() => system?.stop());

test('a signal switches the flag that it names on, and the log names the service account', async () => {
  await createFlags('kill-switch', 'other');
  const { id: actorId, username } = await createMember();
  const filters = { 'labels.severity': { operator: 'IN', values: ['critical'] } };
  const set = await createSet('by name', actorId, ['{{payload.labels.flag}}'], filters);
  await send({ labels: { severity: 'warning', flag: 'other' } });
  const signal = await send({ labels: { severity: 'critical', flag: 'kill-switch' } });
  await system.processAll();
  expect(await Promise.all(['kill-switch', 'other'].map(isOn))).toEqual([true, false]);
  const { body } = await system.call('GET', set.events);
  expect(body.actionSetEvents).toEqual([
    {
      id: expect.any(Number),
      actionSetId: set.id,
      signalId: signal.id,
      createdAt: expect.any(String),
      state: 'success',
      signal,
      actionSet: expect.objectContaining({
        id: set.id,
        actorId,
        actions: [expect.objectContaining({ state: 'success', details: expect.stringContaining('kill-switch') })],
      }),
    },
  ]);
  const found = await system.call('GET', '/api/admin/search/events?feature=IS:kill-switch');
  expect(found.body.events[0]).toMatchObject({
    ...{ type: 'feature-environment-enabled', createdBy: username, createdByUserId: actorId },
    ...{ featureName: 'kill-switch', environment },
  });
});

/** Sends a signal, and makes the change while the first step of its run is called: that one waits for its flag. */
async function changeDuringRun(flag: string, set: { events: string }, change: () => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: system.database.ownerUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select from flags.features where name = $1 for update', [flag]);
  await send({});
  await eventually(async () => {
    const { body } = await system.call('GET', set.events);
    expect(body.actionSetEvents[0].actionSet.actions[0].state).toBe('started');
  });
  await change();
  await client.query('commit');
  await client.end();
  await system.processAll();
}

test('when a role is revoked between two steps, the second fails naming the permission, the third never starts', async () => {
  await createFlags('first', 'second', 'third');
  const { id: actorId } = await createMember();
  const set = await createSet('three', actorId, ['first', 'second', 'third']);
  await changeDuringRun('first', set, async () => {
    expect((await system.call('DELETE', `${projectPath}/users/${actorId}/roles`)).status).toBe(200);
  });
  const { body } = await system.call('GET', set.events);
  const denied = expect.stringContaining('"UPDATE_FEATURE_ENVIRONMENT"');
  expect(body.actionSetEvents).toMatchObject([
    {
      state: 'failed',
      actionSet: {
        actions: [{ state: 'success' }, { state: 'failed', details: denied }, { state: 'not started', details: null }],
      },
    },
  ]);
  expect(await Promise.all(['first', 'second', 'third'].map(isOn))).toEqual([true, false, false]);
  await system.call('DELETE', `${projectPath}/actions/${set.id}`);
});

test.each([
  ['disabled', 'fails before its next step', (path: string) => system.call('POST', `${path}/off`), [true, false]],
  ['deleted', 'fails before its next step', (path: string) => system.call('DELETE', path), [true, false]],
  [
    'edited',
    'goes on unchanged',
    async (path: string) => {
      const { actions } = (await system.call('GET', `${projectPath}/actions`)).body;
      const { id, project, createdAt, createdByUserId, ...set } = actions.at(-1);
      const [{ action, sortOrder, executionParams }] = set.actions;
      const body = { ...set, actions: [{ action, sortOrder, executionParams }] };
      return system.call('PUT', path, { body });
    },
    [true, true],
  ],
])('a run whose set is %s meanwhile %s', async (word, _, change, switched) => {
  const flags = [`${word}-1`, `${word}-2`];
  await createFlags(...flags);
  const set = await createSet(word, (await createMember()).id, flags);
  const path = `${projectPath}/actions/${set.id}`;
  await changeDuringRun(flags[0]!, set, async () => expect((await change(path)).status).toBe(200));
  expect(await Promise.all(flags.map(isOn))).toEqual(switched);
  await system.call('DELETE', path);
});

test('a flag that was archived since fails the run with that reason, and later signals run again', async () => {
  await createFlags('archived');
  const set = await createSet('archived flag', (await createMember()).id, ['archived']);
  expect((await system.call('DELETE', `${projectPath}/features/archived`)).status).toBe(202);
  await send({});
  await system.processAll();
  const runs = async () => (await system.call('GET', set.events)).body.actionSetEvents;
  const failed = { state: 'failed', details: expect.stringContaining('archived') };
  expect(await runs()).toMatchObject([{ state: 'failed', actionSet: { actions: [failed] } }]);
  await system.call('POST', '/api/admin/archive/revive/archived');
  await send({});
  await system.processAll();
  expect((await runs()).map(({ state }: { state: string }) => state)).toEqual(['success', 'failed']);
});

test('the runs of an unknown set, and of another project, are not found', async () => {
  const [set] = (await system.call('GET', `${projectPath}/actions`)).body.actions;
  for (const path of [`${projectPath}/actions/99999/events`, `/api/admin/projects/none/actions/${set.id}/events`]) {
    expect(await system.call('GET', path)).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
  }
  expect((await system.call('GET', `${projectPath}/actions/${set.id}/events?limit=0`)).status).toBe(400);
});
