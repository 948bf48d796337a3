// Terraform: the calls of each resource and data source of the provider Unleash/unleash 3 but oidc and saml, with what
// its Go client demands of each answer and what the provider compares with its plan. docs/terraform.md has the sources.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemsOf } from './terraform/problems-of.ts';

const api = '/api/admin';
let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system?.stop());

/** Sends a call of the provider. Its answer has the one status that the provider accepts, and the shape it reads. */
async function send(method: string, path: string, status: number, shape: string | null, body?: object) {
  const answer = await system.call(method, api + path, body === undefined ? {} : { body });
  expect({
    call: `${method} ${path}`,
    status: answer.status,
    text: answer.status === status ? '' : answer.text,
  }).toEqual({
    ...{ call: `${method} ${path}`, status, text: '' },
  });
  if (shape !== null) expect(problemsOf(shape, answer.body)).toEqual([]);
  return answer.body;
}

const gone = (path: string) => send('GET', path, 404, null);

describe('unleash_api_token', () => {
  const tokens = '/api-tokens';
  const planned = {
    ...{ type: 'client', tokenName: 'terraform', environment: 'development', projects: ['default'] },
    expiresAt: '2099-01-01T00:00:00Z',
  };
  const inList = async (secret: string) =>
    (await send('GET', tokens, 200, 'apiTokens')).tokens.find((each: { secret: string }) => each.secret === secret);

  test('finds its secret in the list, is extended, and is not in the list any more', async () => {
    const { secret, ...made } = await send('POST', tokens, 201, 'apiToken', planned);
    expect(made).toMatchObject({ ...planned, project: 'default', expiresAt: '2099-01-01T00:00:00.000Z' });
    for (const _ of ['read', 'read again']) expect(await inList(secret)).toMatchObject({ ...made, seenAt: null });
    const named = `${tokens}/${encodeURIComponent(secret)}`;
    await send('PUT', named, 200, null, { expiresAt: '2099-02-01T00:00:00Z' });
    expect(await inList(secret)).toMatchObject({ ...made, expiresAt: '2099-02-01T00:00:00.000Z' });
    await send('DELETE', named, 200, null);
    expect(await inList(secret)).toBeUndefined();
  });

  test('of all projects has projects ["*"] and project "*"', async () => {
    const token = await send('POST', tokens, 201, 'apiToken', {
      type: 'frontend',
      tokenName: 'all',
      project: '*',
      environment: 'production',
    });
    expect(token).toMatchObject({ projects: ['*'], project: '*', environment: 'production' });
    expect(await inList(token.secret)).toMatchObject({ projects: ['*'], project: '*' });
    await send('DELETE', `${tokens}/${encodeURIComponent(token.secret)}`, 200, null);
  });
});

test('unleash_context_field keeps the order of its values, and its data source reads the same', async () => {
  const legalValues = [{ value: 'south', description: 'Below' }, { value: 'north' }];
  const field = '/context/region';
  const planned = { name: 'region', description: 'Where', stickiness: false, legalValues };
  expect(await send('POST', '/context', 201, 'contextField', planned)).toMatchObject(planned);
  for (const _ of ['read', 'imported']) {
    const { legalValues: read } = await send('GET', field, 200, 'contextField');
    expect(read).toEqual(legalValues);
  }
  await send('PUT', field, 200, null, { description: 'Where', stickiness: true, legalValues: [] });
  expect(await send('GET', field, 200, 'contextField')).toMatchObject({
    ...{ description: 'Where', stickiness: true, legalValues: [] },
  });
  await send('DELETE', field, 200, null);
  await gone(field);
  // Without a description the provider expects null or nothing.
  const bare = await send('POST', '/context', 201, 'contextField', {
    name: 'bare',
    stickiness: false,
    legalValues: [],
  });
  expect(bare.description ?? null).toBeNull();
  expect(bare).toMatchObject({ stickiness: false, legalValues: [] });
  await send('DELETE', '/context/bare', 200, null);
});

test('unleash_environment, and its data source reads the same', async () => {
  const planned = { name: 'staging', type: 'preproduction' };
  expect(await send('POST', '/environments', 201, 'environment', planned)).toMatchObject(planned);
  for (const _ of ['read', 'imported']) {
    expect(await send('GET', '/environments/staging', 200, 'environment')).toMatchObject({
      ...planned,
      requiredApprovals: null,
    });
  }
  expect(await send('PUT', '/environments/update/staging', 200, 'environment', { type: 'test' })).toMatchObject({
    ...{ name: 'staging', type: 'test' },
  });
  await send('DELETE', '/environments/staging', 200, null);
  await gone('/environments/staging');
});

test('unleash_user, with and without names', async () => {
  const created = await send('POST', '/user-admin', 201, 'user', {
    ...{ name: 'Ada', username: 'ada', email: 'ada@example.com', rootRole: 3, sendEmail: false },
  });
  expect(created).toMatchObject({ name: 'Ada', username: 'ada', email: 'ada@example.com', rootRole: 3 });
  const path = `/user-admin/${created.id}`;
  for (const _ of ['read', 'read again']) {
    expect(await send('GET', path, 200, 'user')).toMatchObject({
      ...{ id: created.id, name: 'Ada', username: 'ada', email: 'ada@example.com', rootRole: 3 },
    });
  }
  const update = { name: 'Ada L.', email: 'ada@example.com', rootRole: 2 };
  expect(await send('PUT', path, 200, 'user', update)).toMatchObject({ ...update, id: created.id, username: 'ada' });
  await send('DELETE', path, 200, null);
  await gone(path);
  const bare = await send('POST', '/user-admin', 201, 'user', { username: 'bare', rootRole: 3 });
  for (const user of [bare, await send('GET', `/user-admin/${bare.id}`, 200, 'user')]) {
    // The provider reads the value of a name that is present, and so ends with an error at null.
    expect(user).not.toHaveProperty('name');
    expect(user).not.toHaveProperty('email');
  }
  await send('DELETE', `/user-admin/${bare.id}`, 200, null);
});

test('unleash_group, whose members are in the order of the plan', async () => {
  const members: number[] = [];
  for (const username of ['first', 'second']) {
    members.push((await send('POST', '/user-admin', 201, 'user', { username, rootRole: 3 })).id);
  }
  const users = (ids: number[]) => ids.map((id) => ({ user: { id } }));
  const planned = { name: 'Developers', description: 'All of them', rootRole: 3, mappingsSSO: ['dev'] };
  const made = await send('POST', '/groups', 201, 'group', { ...planned, users: users(members) });
  const path = `/groups/${made.id}`;
  for (const _ of ['read', 'imported']) {
    const read = await send('GET', path, 200, 'group');
    expect(read).toMatchObject({ id: made.id, ...planned });
    expect(read.users.map(({ user }: { user: { id: number } }) => user.id)).toEqual(members);
  }
  const all = await send('GET', '/groups', 200, 'groups');
  expect(all.groups.map(({ id }: { id: number }) => id)).toContain(made.id);
  const change = { name: 'People', description: null, rootRole: null, mappingsSSO: [], users: [] };
  expect((await send('PUT', path, 200, 'group', change)).id).toBe(made.id);
  const changed = await send('GET', path, 200, 'group');
  expect(changed).toMatchObject({ name: 'People', mappingsSSO: [], users: [] });
  expect([changed.description || null, changed.rootRole ?? null]).toEqual([null, null]);
  await send('DELETE', path, 200, null);
  await gone(path);
});

test('unleash_role, whose permissions are a set, and the data sources role and permission', async () => {
  const permissions = [
    { name: 'UPDATE_FEATURE' },
    { name: 'CREATE_FEATURE' },
    { name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'production' },
    { name: 'CREATE_FEATURE_STRATEGY', environment: 'development' },
  ];
  const planned = { name: 'Releaser', type: 'custom', description: 'Releases' };
  const { roles: made } = await send('POST', '/roles', 200, 'roleWithVersion', { ...planned, permissions });
  expect(made).toMatchObject(planned);
  const path = `/roles/${made.id}`;
  const compared = ({ name, environment }: { name: string; environment?: string | null }) => ({
    ...{ name, ...(environment !== undefined && environment !== null && { environment }) },
  });
  for (const _ of ['read', 'imported']) {
    const read = await send('GET', path, 200, 'roleWithPermissions');
    expect(read).toMatchObject({ id: made.id, ...planned });
    expect(new Set(read.permissions.map(compared))).toEqual(new Set(permissions));
  }
  const { roles } = await send('GET', '/roles', 200, 'rolesWithVersion');
  expect(roles.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['Admin', 'Releaser']));
  expect(roles).toContainEqual({ id: 2, type: 'root', name: 'Editor', project: null, description: expect.any(String) });
  const update = { ...planned, description: 'Nothing', permissions: permissions.slice(0, 1) };
  expect((await send('PUT', path, 200, 'roleWithVersion', update)).roles).toMatchObject({ description: 'Nothing' });
  expect((await send('GET', path, 200, 'roleWithPermissions')).permissions.map(compared)).toEqual(update.permissions);
  await send('DELETE', path, 200, null);
  await gone(path);

  const root = {
    name: 'Segments',
    type: 'root-custom',
    description: 'Root',
    permissions: [{ name: 'CREATE_SEGMENT' }],
  };
  const { roles: rootRole } = await send('POST', '/roles', 200, 'roleWithVersion', root);
  expect(await send('GET', `/roles/${rootRole.id}`, 200, 'roleWithPermissions')).toMatchObject({ type: 'root-custom' });
  await send('DELETE', `/roles/${rootRole.id}`, 200, null);

  const found = await send('GET', '/permissions', 200, 'permissionsWithVersion');
  const names = (list: { name: string }[]) => list.map(({ name }) => name);
  expect(names(found.permissions.root)).toContain('CREATE_SEGMENT');
  expect(names(found.permissions.project)).toContain('UPDATE_FEATURE');
  const production = found.permissions.environments.find(({ name }: { name: string }) => name === 'production');
  expect(names(production.permissions)).toContain('UPDATE_FEATURE_ENVIRONMENT');
});

describe('unleash_project, and its data source', () => {
  const inList = async (id: string) =>
    (await send('GET', '/projects', 200, 'projects')).projects.find((project: { id: string }) => project.id === id);

  test('is read from the list, changed and deleted, and its mode is open', async () => {
    const planned = { id: 'shop', name: 'Shop', description: 'Sells' };
    expect(await send('POST', '/projects', 201, 'createdProject', { ...planned, environments: [] })).toMatchObject(
      planned,
    );
    await send('PUT', '/projects/shop/settings', 200, null, { mode: 'open' });
    for (const _ of ['read', 'imported']) expect(await inList('shop')).toMatchObject({ ...planned, mode: 'open' });
    await send('PUT', '/projects/shop/settings', 200, null, { mode: 'open' });
    await send('PUT', '/projects/shop', 200, null, { name: 'Shops', description: 'Sells more' });
    expect(await inList('shop')).toMatchObject({ id: 'shop', name: 'Shops', description: 'Sells more' });
    await send('DELETE', '/projects/shop', 200, null);
    expect(await inList('shop')).toBeUndefined();
  });

  test('of another mode is refused with a sentence', async () => {
    const answer = await system.call('PUT', `${api}/projects/default/settings`, { body: { mode: 'private' } });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.text).toContain('.mode');
  });

  test('without a description is created without one', async () => {
    const made = await send('POST', '/projects', 201, 'createdProject', { id: 'bare', name: 'Bare', environments: [] });
    // The provider reads the value of a description that is present, and so ends with an error at null.
    expect(made).not.toHaveProperty('description');
    expect((await inList('bare')).description).toBeNull();
    await send('DELETE', '/projects/bare', 200, null);
  });
});

test('unleash_project_access gives the roles, users and groups in the order of the plan', async () => {
  await send('POST', '/projects', 201, null, { id: 'access', name: 'Access', environments: [] });
  const ids: number[] = [];
  for (const username of ['owner', 'member', 'other']) {
    ids.push((await send('POST', '/user-admin', 201, 'user', { username, rootRole: 3 })).id);
  }
  const [owner, member, other] = ids;
  const group = await send('POST', '/groups', 201, 'group', { name: 'Access' });
  const known = (await send('GET', '/roles', 200, 'rolesWithVersion')).roles as { id: number; name: string }[];
  const roleId = (name: string) => known.find((role) => role.name === name)?.id as number;
  const planned = [
    { id: roleId('Owner'), users: [owner], groups: [] },
    { id: roleId('Member'), users: [member, other], groups: [group.id] },
  ];
  await send('PUT', '/projects/access/access', 200, null, { roles: planned });
  const read = async () => {
    const { users, groups, roles } = await send('GET', '/projects/access/access', 200, 'projectAccess');
    const having = (list: { id: number; roles: number[] }[], role: number) =>
      list.filter((each) => each.roles.includes(role)).map(({ id }) => id);
    return roles
      .map(({ id }: { id: number }) => ({ id, users: having(users, id), groups: having(groups, id) }))
      .filter((role: { users: number[]; groups: number[] }) => role.users.length + role.groups.length > 0);
  };
  expect(await read()).toEqual(planned);
  expect(await read()).toEqual(planned);
  const fewer = [{ id: roleId('Owner'), users: [member], groups: [] }];
  await send('PUT', '/projects/access/access', 200, null, { roles: fewer });
  expect(await read()).toEqual(fewer);
  await send('DELETE', '/projects/access', 200, null);
});

test('unleash_project_environment is added, read, imported and removed, and cannot have change requests', async () => {
  await send('POST', '/projects', 201, null, { id: 'places', name: 'Places', environments: ['development'] });
  const production = '/projects/places/environments/production';
  const configure = (body: object, status = 204) =>
    send('PUT', `${production}/change-requests/config`, status, null, body);
  const read = () => configurationOf('places', 'production');
  const off = { environment: 'production', type: 'production', changeRequestEnabled: false, requiredApprovals: null };

  expect(await read()).toBeUndefined();
  await send('POST', '/projects/places/environments', 200, null, { environment: 'production' });
  await configure({ changeRequestsEnabled: false, requiredApprovals: 0 });
  for (const _ of ['read', 'imported']) {
    const { environments } = await send('GET', '/environments/project/places', 200, 'projectEnvironments');
    expect(environments.map(({ name }: { name: string }) => name)).toContain('production');
    expect(await read()).toEqual(off);
  }
  // An update sends the same: 409 says that the project has the environment.
  await send('POST', '/projects/places/environments', 409, null, { environment: 'production' });
  await configure({ changeRequestsEnabled: false });
  const refused = await configure({ changeRequestsEnabled: true, requiredApprovals: 1 }, 409);
  expect(refused.message).toContain('.changeRequestsEnabled');
  expect(await read()).toEqual(off);
  await configure({ changeRequestsEnabled: false, requiredApprovals: 0 });
  await send('DELETE', production, 200, null);
  expect(await read()).toBeUndefined();
  await send('DELETE', '/projects/places', 200, null);
  await gone('/environments/project/places');
  expect(await send('GET', '/projects/places/change-requests/config', 200, 'configuration[]')).toEqual([]);
});

async function configurationOf(project: string, environment: string) {
  const all = await send('GET', `/projects/${project}/change-requests/config`, 200, 'configuration[]');
  return all.find((each: { environment: string }) => each.environment === environment);
}

test('unleash_service_account and unleash_service_account_token', async () => {
  const planned = { username: 'deploy', name: 'Deploy', rootRole: 2 };
  const made = await send('POST', '/service-account', 201, 'serviceAccount', planned);
  expect(made).toMatchObject(planned);
  const path = `/service-account/${made.id}`;
  const inList = async () =>
    (await send('GET', '/service-account', 200, 'serviceAccounts')).serviceAccounts.find(
      (each: { id: number }) => each.id === made.id,
    );
  for (const _ of ['read', 'read again']) expect(await inList()).toMatchObject(planned);

  const token = { description: 'ci', expiresAt: '2099-01-01T00:00:00Z' };
  const { id, secret } = await send('POST', `${path}/token`, 201, 'personalToken', token);
  expect(secret).toEqual(expect.any(String));
  const tokens = async () => (await send('GET', `${path}/token`, 200, 'personalTokens')).pats;
  expect(await tokens()).toEqual([
    expect.objectContaining({ id, description: 'ci', expiresAt: '2099-01-01T00:00:00.000Z' }),
  ]);
  await send('DELETE', `${path}/token/${id}`, 200, null);
  expect(await tokens()).toEqual([]);

  const change = { name: 'Deployer', rootRole: 3 };
  expect(await send('PUT', path, 200, 'serviceAccount', change)).toMatchObject({ ...change, username: 'deploy' });
  expect(await inList()).toMatchObject(change);
  await send('DELETE', path, 200, null);
  expect(await inList()).toBeUndefined();
});

describe('data sources', () => {
  /** The one of a list that the provider picks by a property. */
  async function picked(path: string, shape: string, list: string, key: string, value: string) {
    const all: Record<string, unknown>[] = (await send('GET', path, 200, shape))[list];
    const found = all.filter((each) => each[key] === value);
    expect(found).toHaveLength(1);
    return found[0]!;
  }

  test('unleash_context_field', async () => {
    const { description, stickiness } = await send('GET', '/context/userId', 200, 'contextField');
    expect([description, stickiness]).toEqual([expect.any(String), true]);
    await gone('/context/none');
  });

  test('unleash_group, by its id and by its name', async () => {
    const { id } = await send('POST', '/groups', 201, 'group', { name: 'Readers', description: 'They read' });
    const found = await picked('/groups', 'groups', 'groups', 'name', 'Readers');
    expect(found).toMatchObject({ id });
    expect(await send('GET', `/groups/${found.id}`, 200, 'group')).toMatchObject({
      ...{ id, name: 'Readers', description: 'They read', mappingsSSO: [], users: [] },
    });
    await gone('/groups/999999');
  });

  test('unleash_project_environment, of a project that lacks it too', async () => {
    await send('POST', '/projects', 201, null, { id: 'one', name: 'One', environments: ['development'] });
    await send('GET', '/environments/project/one', 200, 'projectEnvironments');
    expect(await configurationOf('one', 'development')).toMatchObject({ changeRequestEnabled: false });
    expect(await configurationOf('one', 'production')).toBeUndefined();
    await gone('/environments/project/none');
  });

  test('unleash_user, by its id and by its address', async () => {
    const planned = { username: 'found', email: 'found@example.com', name: 'Found', rootRole: 2 };
    const { id } = await send('POST', '/user-admin', 201, 'user', planned);
    expect(await send('GET', `/user-admin/${id}`, 200, 'user')).toMatchObject({ id, ...planned });
    // How it finds an address was not read. Both ways lead to the id, and the list has the root role too.
    expect(await picked('/user-admin', 'users', 'users', 'email', planned.email)).toMatchObject({ id, ...planned });
    const users = await send('GET', '/user-admin/search?q=found%40example.com', 200, 'user[]');
    expect(users).toEqual([expect.objectContaining({ id, email: planned.email })]);
    await gone('/user-admin/999999');
  });
});
