import {
  addPerson,
  addProject,
  addRole,
  addServiceAccount,
  eventually,
  grantProjectRole,
  logIn,
  type TestPerson,
  type TestSystem,
} from '@yardarm/testing';
import type { GoldenRow, Kind, RoleLetter } from './golden.ts';
import { sixAtATime } from './six-at-a-time.ts';

export interface Caller {
  name: string;
  kind: Kind;
  headers: Record<string, string>;
  /** The person of a session cookie, to log in again for routes that end the session. */
  person?: TestPerson;
  mustChoosePassword?: boolean;
  /** Of a caller who has this permission and no other. */
  permission?: string;
  /** Whether the caller holds the row's permission according to golden.txt. */
  holds(row: GoldenRow): boolean;
}

const admin = 1;
const editor = 2;
const viewer = 3;
const owner = 4;
const member = 5;

const holdsNothing = (row: GoldenRow) => row.permissions.length === 0;
const holdsAs = (letter: RoleLetter) => (row: GoldenRow) => row.grantedBy.includes(letter);
const holdsElsewhere = (row: GoldenRow) => holdsNothing(row) || (row.isAnywhere && row.grantedBy.includes('O'));
const holdsOne = (permission: string) => (row: GoldenRow) => holdsNothing(row) || row.permissions.includes(permission);

/** Creates the callers of all routes, including a role for each single permission of `rows`. */
export async function createCallers(system: TestSystem, rows: readonly GoldenRow[]): Promise<Caller[]> {
  await addProject(system, 'elsewhere');
  const callers = [
    ...(await withoutValidToken(system)),
    ...(await withTokensOfOtherAudiences(system)),
    token('an admin token', 'admin token', system.adminToken, () => true),
    ...(await ofRootRole(system, 'Admin', admin, () => true)),
    ...(await ofRootRole(system, 'Editor', editor, holdsAs('E'))),
    ...(await ofRootRole(system, 'Viewer', viewer, holdsNothing)),
    await ofProjectRole(system, 'the Owner of the project', 'default', owner, holdsAs('O')),
    await ofProjectRole(system, 'the Owner of another project', 'elsewhere', owner, holdsElsewhere),
    await ofProjectRole(system, 'a Member of the project', 'default', member, holdsAs('M')),
    await mustChoosePassword(system),
  ];
  const permissions = [...new Set(rows.flatMap((row) => row.permissions))];
  const withOne = await sixAtATime(permissions, async (permission) => {
    const added = await withExactly(system, permission, rows);
    return added.map((caller) => ({ ...caller, permission }));
  });
  return [...callers, ...withOne.flat()];
}

/** Creates a service account with every permission except these, for the rows that require them. */
export async function createCallerWithout(system: TestSystem, permissions: readonly string[]): Promise<Caller> {
  const { body } = await system.call('GET', '/api/admin/permissions');
  const listed: { name: string }[] = [
    ...body.permissions.root,
    ...body.permissions.project,
    ...body.permissions.environments.flatMap(
      (environment: { permissions: { name: string }[] }) => environment.permissions,
    ),
  ];
  const names = new Set(
    listed.map(({ name }) => name).filter((name) => name !== 'ADMIN' && !permissions.includes(name)),
  );
  const role = await addRole(
    system,
    'root-custom',
    [...names].map((name) => ({ name })),
  );
  const account = await addServiceAccount(system, role);
  return token(`everything but ${permissions.join(' and ')}`, 'service account', account.token, () => false);
}

async function withoutValidToken(system: TestSystem): Promise<Caller[]> {
  const expired = await addServiceAccount(system, admin);
  await system.database.rows("update accounts.tokens set expires_at = now() - interval '1 second' where id = $1", [
    expired.tokenId,
  ]);
  const [expiredClient, revokedClient] = await Promise.all([clientToken(system), clientToken(system)]);
  await system.database.rows("update accounts.tokens set expires_at = now() - interval '1 second' where name = $1", [
    expiredClient.tokenName,
  ]);
  const revoked = await addServiceAccount(system, admin);
  const deleted = await addServiceAccount(system, admin);
  // Used before they are revoked, so that the gateway's cache has them.
  const use = (secret: string) => system.call('GET', '/api/admin/addons', { token: secret });
  await Promise.all([use(revoked.token), use(deleted.token)]);
  await system.call('DELETE', `/api/admin/service-account/${revoked.id}/token/${revoked.tokenId}`);
  await system.call('DELETE', `/api/admin/service-account/${deleted.id}`);
  await system.call('DELETE', `/api/admin/api-tokens/${encodeURIComponent(revokedClient.secret)}`);
  const loggedOut = await addPerson(system, admin);
  await system.call('POST', '/logout', { token: null, headers: { cookie: loggedOut.cookie } });
  await eventually(async () => {
    for (const secret of [revoked.token, deleted.token]) {
      if ((await use(secret)).status !== 401) throw new Error('The revocation has not arrived.');
    }
  });
  const unauthenticated = (name: string, headers: Record<string, string>): Caller => ({
    ...{ name, kind: 'unauthenticated', headers, holds: () => false },
  });
  const mistyped = `${revoked.token.slice(0, -1)}${revoked.token.endsWith('0') ? '1' : '0'}`;
  return [
    unauthenticated('no token', {}),
    unauthenticated('a scheme without a token', { authorization: 'Bearer' }),
    unauthenticated('a mistyped token', { authorization: mistyped }),
    unauthenticated('a token of strange characters', { authorization: 'user: \u00fc' }),
    unauthenticated('an unknown token', { authorization: '*:*.nobody-has-this' }),
    unauthenticated('an unknown client token', { authorization: '*:development.nobody-has-this' }),
    unauthenticated('an expired personal token', { authorization: expired.token }),
    unauthenticated('an expired client token', { authorization: expiredClient.secret }),
    unauthenticated('a revoked personal token', { authorization: revoked.token }),
    unauthenticated('a revoked client token', { authorization: revokedClient.secret }),
    unauthenticated('the token of a deleted account', { authorization: deleted.token }),
    unauthenticated('a session that has ended', { cookie: loggedOut.cookie }),
    unauthenticated('an unknown session', { cookie: 'yardarm-session=session_nobody-has-this' }),
  ];
}

async function withTokensOfOtherAudiences(system: TestSystem): Promise<Caller[]> {
  const frontend = await system.call('POST', '/api/admin/api-tokens', {
    body: { type: 'frontend', tokenName: 'matrix frontend', environment: 'development' },
  });
  const endpoint = await system.call('POST', '/api/admin/signal-endpoints', { body: { name: 'matrix' } });
  const signal = await system.call('POST', `/api/admin/signal-endpoints/${endpoint.body.id}/tokens`, {
    body: { name: 'matrix' },
  });
  return [
    token('a client token', 'client', system.clientTokens.development, () => true),
    token('a frontend token', 'frontend', frontend.body.secret, () => true),
    token('a signal token', 'signal', signal.body.token, () => true),
  ];
}

/** A person by session and by personal access token, and a service account. */
async function ofRootRole(
  system: TestSystem,
  name: string,
  rootRole: number,
  holds: Caller['holds'],
): Promise<Caller[]> {
  const person = await addPerson(system, rootRole);
  const account = await addServiceAccount(system, rootRole);
  const sessionToken = person.cookie.slice(person.cookie.indexOf('=') + 1);
  return [
    { name: `${name}'s session`, kind: 'person', headers: { cookie: person.cookie }, person, holds },
    token(`${name}'s personal access token`, 'person', person.token, holds),
    token(`${name}'s service account`, 'service account', account.token, holds),
    token(`${name}'s session as a token`, 'misplaced session', sessionToken, () => false),
  ];
}

async function ofProjectRole(
  system: TestSystem,
  name: string,
  project: string,
  role: number,
  holds: Caller['holds'],
): Promise<Caller> {
  const account = await addServiceAccount(system, viewer);
  await grantProjectRole(system, project, role, { users: [account.id] });
  return token(name, 'service account', account.token, holds);
}

async function mustChoosePassword(system: TestSystem): Promise<Caller> {
  const person = await addPerson(system, admin);
  await system.database.rows('update accounts.users set must_change_password = true where id = $1', [person.id]);
  person.cookie = await logIn(system, person.username, person.password);
  return {
    name: 'an Admin who must choose a password first',
    kind: 'person',
    headers: { cookie: person.cookie },
    person,
    mustChoosePassword: true,
    holds: () => true,
  };
}

/** Callers with exactly one permission: everywhere, in the project, in another project, in another environment. */
async function withExactly(system: TestSystem, permission: string, rows: readonly GoldenRow[]): Promise<Caller[]> {
  // Custom roles cannot have ADMIN. createCallerWithout covers its routes.
  if (permission === 'ADMIN') return [];
  const requiring = rows.filter((row) => row.permissions.includes(permission) && !row.isAnywhere);
  const everywhere = await addServiceAccount(system, await addRole(system, 'root-custom', [{ name: permission }]));
  const callers = [token(`${permission} everywhere`, 'service account', everywhere.token, holdsOne(permission))];
  if (!requiring.every(({ path }) => path.includes('{projectId}'))) return callers;

  const environment = requiring[0]?.environment ?? null;
  const inEnvironment = { name: permission, ...(environment === null ? {} : { environment }) };
  const role = await addRole(system, 'custom', [inEnvironment]);
  const where = environment === null ? '' : ` in ${environment}`;
  const holdsIt = (row: GoldenRow) => holdsNothing(row) || (row.isAnywhere && row.permissions.includes(permission));
  callers.push(
    await ofProjectRole(system, `${permission}${where} of the project`, 'default', role, holdsOne(permission)),
    await ofProjectRole(system, `${permission}${where} of another project`, 'elsewhere', role, holdsIt),
  );
  if (environment !== null) {
    const other = await addRole(system, 'custom', [{ name: permission, environment: 'development' }]);
    callers.push(await ofProjectRole(system, `${permission} in another environment`, 'default', other, holdsIt));
  }
  return callers;
}

async function clientToken(system: TestSystem): Promise<{ secret: string; tokenName: string }> {
  const tokenName = `matrix ${Math.random()}`;
  const { body } = await system.call('POST', '/api/admin/api-tokens', {
    body: { type: 'client', tokenName, environment: 'development' },
  });
  return { secret: body.secret, tokenName };
}

function token(name: string, kind: Kind, secret: string, holds: Caller['holds']): Caller {
  return { name, kind, headers: { authorization: secret }, holds };
}
