import { randomBytes } from 'node:crypto';
import type { CallResult, TestSystem } from './system.ts';

/** The public product's console writes "never" as such a time. */
const never = '2999-01-01T00:00:00Z';

export interface TestServiceAccount {
  id: number;
  username: string;
  tokenId: number;
  token: string;
}

/** A user with a session and a personal access token. */
export interface TestPerson {
  id: number;
  username: string;
  password: string;
  cookie: string;
  tokenId: number;
  token: string;
}

/** A permission of a role, with an environment if it is per environment. */
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

/** Makes a user, logs in and makes a personal access token. */
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

/** Makes a strong password. The pairs prevent three equal characters in a row, which the rules refuse. */
export function makePassword(): string {
  return `Aa1!${randomBytes(12).toString('hex').replaceAll(/../g, '$&-')}`;
}

/** Logs in and returns the cookie as a browser sends it. */
export async function logIn(system: TestSystem, username: string, password: string): Promise<string> {
  const answer = await system.call('POST', '/auth/simple/login', { token: null, body: { username, password } });
  expectStatus(200, answer);
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error('The login gave no cookie.');
  return cookie;
}

/** Makes a custom role and returns its id: `root-custom` applies everywhere, `custom` where it is granted. */
export async function addRole(
  system: TestSystem,
  type: 'root-custom' | 'custom',
  permissions: readonly TestPermission[],
): Promise<number> {
  const body = { name: uniqueName('role'), description: '', type, permissions };
  return expectStatus(200, await system.call('POST', '/api/admin/roles', { body })).roles.id;
}

/** Grants users and groups a role in a project. */
export async function grantProjectRole(
  system: TestSystem,
  project: string,
  role: number,
  to: { users?: number[]; groups?: number[] },
): Promise<void> {
  const body = { roles: [role], users: to.users ?? [], groups: to.groups ?? [] };
  expectStatus(200, await system.call('POST', `/api/admin/projects/${project}/access`, { body }));
}

/** Makes a project with the two initial environments. No route makes projects yet, so the superuser inserts it. */
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
