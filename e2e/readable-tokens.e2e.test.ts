// Who sees the secret of an SDK token in an answer: lists of tokens show it to callers who could make such a token, and
// no other route shows it to anybody. A project is archived, deleted and made again by another user meanwhile.
import {
  addPerson,
  addRole,
  addServiceAccount,
  administer,
  grantProjectRole,
  isLongRun,
  type TestPermission,
  type TestSystem,
} from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const tokensPath = '/api/admin/api-tokens';
const [owner, member] = [4, 5];

interface Caller {
  name: string;
  id: number;
  credentials: { token: string | null; headers?: Record<string, string> };
}

interface SdkToken {
  type: 'client' | 'frontend';
  projects: string[];
  secret: string;
}

let system: TestSystem;
let urls: string[];
let callers: Caller[];
let tokens: SdkToken[];
let otherRoutes: string[];

beforeAll(async () => {
  system = await startSystem();
  urls = [system.url, await system.addGateway()];
  for (const id of ['shop', 'bank']) await administer(system, 'POST', '/api/admin/projects', { id, name: id });
  const names = (...permissions: string[]): TestPermission[] => permissions.map((name) => ({ name }));
  const rootRole = (...permissions: string[]) => addRole(system, 'root-custom', names(...permissions));
  const robot = async (name: string, role: number): Promise<Caller> => {
    const { id, token } = await addServiceAccount(system, role);
    return { name, id, credentials: { token } };
  };
  const [viewer, editor] = [await addPerson(system, 3), await addPerson(system, 2)];
  const byCookie = (name: string, { id, cookie }: typeof viewer): Caller => ({
    ...{ name, id, credentials: { token: null, headers: { cookie } } },
  });
  callers = [
    byCookie('owner of shop', viewer),
    byCookie('editor', editor),
    await robot('member of shop', 3),
    await robot('reads in shop', 3),
    await robot('owner of shop and bank, by a group', 3),
    await robot('reads client tokens', await rootRole('READ_CLIENT_API_TOKEN')),
    await robot('makes and reads client tokens', await rootRole('READ_CLIENT_API_TOKEN', 'CREATE_CLIENT_API_TOKEN')),
    await robot('makes frontend tokens', await rootRole('READ_CLIENT_API_TOKEN', 'CREATE_FRONTEND_API_TOKEN')),
  ];
  const idOf = (name: string) => callers.find((caller) => caller.name === name)!.id;
  await grantProjectRole(system, 'shop', owner!, { users: [idOf('owner of shop')] });
  await grantProjectRole(system, 'shop', member!, { users: [idOf('member of shop')] });
  const reader = await addRole(system, 'custom', names('READ_PROJECT_API_TOKEN', 'UPDATE_PROJECT'));
  await grantProjectRole(system, 'shop', reader, { users: [idOf('reads in shop')] });
  const users = [{ user: { id: idOf('owner of shop and bank, by a group') } }];
  const group = await administer(system, 'POST', '/api/admin/groups', { name: 'owners', users });
  for (const project of ['shop', 'bank']) await grantProjectRole(system, project, owner!, { groups: [group.id] });
  tokens = [];
  for (const type of ['client', 'frontend'] as const) {
    for (const projects of [['shop'], ['bank'], ['shop', 'bank'], ['default', 'shop'], ['*']]) {
      const body = { type, tokenName: 'sdk', environment: 'development', projects };
      tokens.push({ type, projects, secret: (await administer(system, 'POST', tokensPath, body)).secret });
    }
  }
  const { paths } = await administer(system, 'GET', '/docs/openapi.json');
  otherRoutes = Object.entries<object>(paths).flatMap(([path, methods]) => {
    const isRead = 'get' in methods && !/stream|logout|ofrep|api-tokens/.test(path);
    return isRead ? path.replace('{projectId}', 'shop').replaceAll(/\{\w+\}/g, '1') : [];
  });
});
afterAll(() => system?.stop());

const projectTokens = (project: string) => `/api/admin/projects/${project}/api-tokens`;

/** The tokens whose secret the answers of these paths contain, asked at both gateways. */
async function secretsIn(paths: string[], { credentials }: Caller): Promise<SdkToken[]> {
  const texts = await Promise.all(
    paths.map(async (path, index) => (await system.call('GET', path, { url: urls[index % 2]!, ...credentials })).text),
  );
  return tokens.filter(({ secret }) => texts.some((text) => text.includes(secret.slice(-20))));
}

/** Whether the caller can make such a token, or one for each of its projects. */
async function canMake({ credentials }: Caller, { type, projects }: SdkToken): Promise<boolean> {
  const made = async (path: string, scope: object) => {
    const body = { type, tokenName: 'made', environment: 'development', ...scope };
    const { status, body: token } = await system.call('POST', path, { ...credentials, body });
    if (status === 201) await administer(system, 'DELETE', `${tokensPath}/${encodeURIComponent(token.secret)}`);
    return status === 201;
  };
  if (await made(tokensPath, { projects })) return true;
  if (projects.includes('*')) return false;
  const ofProjects = await Promise.all(projects.map((project) => made(projectTokens(project), {})));
  return !ofProjects.includes(false);
}

async function seenBy(caller: Caller): Promise<string[]> {
  const paths = [tokensPath, `${tokensPath}/sdk`, ...['shop', 'bank', 'default'].map(projectTokens)];
  const seen = await secretsIn([...paths, ...paths.toReversed()], caller);
  for (const token of seen) {
    expect([caller.name, token.type, token.projects, await canMake(caller, token)]).toEqual([
      ...[caller.name, token.type, token.projects, true],
    ]);
  }
  return seen.map(({ type, projects }) => `${type} ${projects}`);
}

const seenByAll = async () =>
  Object.fromEntries(
    await Promise.all(callers.map(async (caller) => [caller.name, await seenBy(caller)] as [string, string[]])),
  );

const both = (...projects: string[]) => ['client', 'frontend'].flatMap((type) => projects.map((p) => `${type} ${p}`));

test('lists show a secret to callers who could make the token, also after its projects were deleted and made again', async () => {
  const before = {
    'owner of shop': both('shop'),
    editor: both('shop', 'bank', 'shop,bank', 'default,shop'),
    'member of shop': [],
    'reads in shop': [],
    'owner of shop and bank, by a group': both('shop', 'bank', 'shop,bank'),
    'reads client tokens': [],
    'makes and reads client tokens': ['shop', 'bank', 'shop,bank', 'default,shop', '*'].map((p) => `client ${p}`),
    'makes frontend tokens': [],
  };
  expect(await seenByAll()).toEqual(before);
  await administer(system, 'POST', '/api/admin/projects/archive/bank');
  await administer(system, 'DELETE', '/api/admin/projects/bank');
  await administer(system, 'POST', '/api/admin/projects', { id: 'bank', name: 'bank' });
  await system.processAll();
  tokens = tokens.flatMap((token) => {
    const projects = token.projects.filter((project) => project !== 'bank');
    return projects.length === 0 ? [] : { ...token, projects };
  });
  expect(await seenByAll()).toEqual({
    ...before,
    'owner of shop': both('shop', 'shop'),
    editor: both('shop', 'shop', 'default,shop'),
    'owner of shop and bank, by a group': both('shop', 'shop'),
    'makes and reads client tokens': ['shop', 'shop', 'default,shop', '*'].map((p) => `client ${p}`),
  });
});

test('no other route shows a secret to anybody, the administrator included', async () => {
  const admin = { name: 'admin', id: 0, credentials: { token: system.adminToken } };
  expect(otherRoutes.length).toBeGreaterThan(90);
  // What the routes show depends on the kind of the caller. A long run asks all of them.
  for (const caller of [admin, ...(isLongRun ? callers : callers.slice(0, 4))])
    expect([caller.name, await secretsIn(otherRoutes, caller)]).toEqual([caller.name, []]);
});
