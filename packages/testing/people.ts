import { randomBytes } from 'node:crypto';
import type { CallResult, TestSystem } from './system.ts';

/** Far away, as the public product's own interface writes "never". */
const never = '2999-01-01T00:00:00Z';

/** Somebody with a token: a service account. */
export interface TestServiceAccount {
  id: number;
  username: string;
  tokenId: number;
  /** The token's secret. */
  token: string;
}

/** A person who has logged in and has made a personal access token. */
export interface TestPerson {
  id: number;
  username: string;
  password: string;
  /** As a browser sends it. */
  cookie: string;
  tokenId: number;
  /** The personal access token's secret. */
  token: string;
}

/** A permission of a role; where it is per environment, in one of them. */
export interface TestPermission {
  name: string;
  environment?: string;
}

/** Makes a service account with a token. */
export async function addServiceAccount(system: TestSystem, rootRole: number): Promise<TestServiceAccount> {
  const username = uniqueName('robot');
  const path = '/api/admin/service-account';
  const account = expectStatus(201, await system.call('POST', path, { body: { username, name: username, rootRole } }));
  const token = expectStatus(
    201,
    await system.call('POST', `${path}/${account.id}/token`, { body: { description: 'test', expiresAt: never } }),
  );
  return { id: account.id, username, tokenId: token.id, token: token.secret };
}

/** Makes a person, logs in and makes a personal access token. */
export async function addPerson(system: TestSystem, rootRole: number): Promise<TestPerson> {
  const username = uniqueName('person');
  const password = makePassword();
  const body = { username, name: username, rootRole, password };
  const person = expectStatus(201, await system.call('POST', '/api/admin/user-admin', { body }));
  const cookie = await logIn(system, username, password);
  const token = expectStatus(
    201,
    await system.call('POST', '/api/admin/user/tokens', {
      token: null,
      headers: { cookie },
      body: { description: 'test', expiresAt: never },
    }),
  );
  return { id: person.id, username, password, cookie, tokenId: token.id, token: token.secret };
}

/** A password that is strong enough. In pairs, so that no character stands three times in a row, which is no good password. */
export function makePassword(): string {
  return `Aa1!${randomBytes(12).toString('hex').replaceAll(/../g, '$&-')}`;
}

/** Logs in; the answer is the cookie as a browser sends it back. */
export async function logIn(system: TestSystem, username: string, password: string): Promise<string> {
  const answer = await system.call('POST', '/auth/simple/login', { token: null, body: { username, password } });
  expectStatus(200, answer);
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error('The login gave no cookie.');
  return cookie;
}

/** Makes a custom role: `root-custom` holds everywhere, `custom` in the projects in which it is given. Returns its id. */
export async function addRole(
  system: TestSystem,
  type: 'root-custom' | 'custom',
  permissions: readonly TestPermission[],
): Promise<number> {
  const body = { name: uniqueName('role'), description: '', type, permissions };
  return expectStatus(200, await system.call('POST', '/api/admin/roles', { body })).roles.id;
}

/** Gives somebody a role in a project. */
export async function giveProjectRole(
  system: TestSystem,
  project: string,
  role: number,
  to: { users?: number[]; groups?: number[] },
): Promise<void> {
  const body = { roles: [role], users: to.users ?? [], groups: to.groups ?? [] };
  expectStatus(200, await system.call('POST', `/api/admin/projects/${project}/access`, { body }));
}

/** Makes a project with both first environments. No route makes projects yet, so it is written as the database's owner. */
export async function addProject(system: TestSystem, id: string): Promise<void> {
  await system.database.rows('insert into flags.projects (id, name) values ($1, $1)', [id]);
  await system.database.rows(
    "insert into flags.project_environments (project, environment) values ($1, 'development'), ($1, 'production')",
    [id],
  );
  await system.database.rows(
    "insert into flags.revisions (environment, project) values ('development', $1), ('production', $1)",
    [id],
  );
}

function uniqueName(kind: string): string {
  return `${kind}-${randomBytes(6).toString('hex')}`;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read properties of answers and compare them.
function expectStatus(status: number, answer: CallResult): any {
  if (answer.status !== status) throw new Error(`Not ${status} but ${answer.status}: ${answer.text}`);
  return answer.body;
}
