// Access to projects follows their creation and deletion: the creator owns a project, and nothing outlives it.
import { addPerson, addRole, eventually, grantProjectRole, type TestPerson, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let creator: TestPerson;
let other: TestPerson;
const [viewer, owner] = [3, 4];
const projects = '/api/admin/projects';

beforeAll(async () => {
  system = await startSystem();
  creator = await addPerson(system, await addRole(system, 'root-custom', [{ name: 'CREATE_PROJECT' }]));
  other = await addPerson(system, viewer);
});
afterAll(() => system?.stop());

const createProject = (token?: string) =>
  system.call('POST', projects, { body: { id: 'shop', name: 'Shop' }, ...(token && { token }) });

const createFlag = (token: string, name: string) =>
  system.call('POST', `${projects}/shop/features`, { token, body: { name } });

const createToken = async (...of: string[]): Promise<string> => {
  const body = { type: 'client', tokenName: 'sdk', environment: 'development', projects: of };
  return (await system.call('POST', '/api/admin/api-tokens', { body })).body.secret;
};

const readFlags = async (token: string) => (await system.call('GET', '/api/client/features', { token })).status;

test('the creator of a project becomes its Owner', async () => {
  expect((await createProject(creator.token)).status).toBe(201);
  await eventually(async () => expect((await createFlag(creator.token, 'first')).status).toBe(201));
  const { body } = await system.call('GET', `${projects}/shop/access`, { token: creator.token });
  expect(body.users).toMatchObject([{ id: creator.id, roles: [owner] }]);
});

test('a deleted project leaves no role and no token, also when it is created again', async () => {
  await grantProjectRole(system, 'shop', owner, { users: [other.id] });
  const [alone, shared] = [await createToken('shop'), await createToken('shop', 'default')];
  expect((await createFlag(other.token, 'second')).status).toBe(201);
  expect([await readFlags(alone), await readFlags(shared)]).toEqual([200, 200]);

  for (const name of ['first', 'second']) {
    const body = [{ op: 'replace', path: '/archived', value: true }];
    expect((await system.call('PATCH', `${projects}/shop/features/${name}`, { body })).status).toBe(200);
  }
  expect((await system.call('DELETE', `${projects}/shop`)).status).toBe(200);
  await eventually(async () => expect(await readFlags(alone)).toBe(401));
  await eventually(async () => {
    const { body } = await system.call('GET', '/api/admin/api-tokens');
    expect(body.tokens.find(({ tokenName }: { tokenName: string }) => tokenName === 'sdk').projects).toEqual([
      'default',
    ]);
  });
  expect(await readFlags(shared)).toBe(200);

  expect((await createProject()).status).toBe(201);
  await system.processAll();
  for (const { token } of [creator, other]) expect((await createFlag(token, 'third')).status).toBe(403);
  const { body } = await system.call('GET', `${projects}/shop/access`);
  expect(body).toMatchObject({ users: [], groups: [] });
});
