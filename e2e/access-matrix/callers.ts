import {
  addPerson,
  addProject,
  addRole,
  addServiceAccount,
  eventually,
  giveProjectRole,
  logIn,
  type TestPerson,
  type TestSystem,
} from '@yardarm/testing';
import type { GoldenRow, Kind, RoleLetter } from './golden.ts';

/** Somebody who knocks at every door. */
export interface Caller {
  who: string;
  kind: Kind;
  headers: Record<string, string>;
  /** Comes by cookie, and logs in anew for routes that end the session. */
  person?: TestPerson;
  mustChoosePassword?: boolean;
  /** Whether golden.txt says that they hold what the row asks for. */
  holds(row: GoldenRow): boolean;
}

const admin = 1;
const editor = 2;
const viewer = 3;
const owner = 4;
const member = 5;

const holdsNothing = (row: GoldenRow) => row.permissions.length === 0;
const holdsAs = (letter: RoleLetter) => (row: GoldenRow) => row.grantedBy.includes(letter);
const holdsOne = (permission: string) => (row: GoldenRow) => holdsNothing(row) || row.permissions.includes(permission);

/** Everybody who walks the whole matrix; `rows` says for which permissions there must be a role with exactly that one. */
export async function createCallers(system: TestSystem, rows: readonly GoldenRow[]): Promise<Caller[]> {
  await addProject(system, 'elsewhere');
  const callers = [
    ...(await withoutGoodToken(system)),
    ...(await withTokensOfOtherAudiences(system)),
    token('an admin token', 'admin token', system.adminToken, () => true),
    ...(await ofRootRole(system, 'Admin', admin, () => true)),
    ...(await ofRootRole(system, 'Editor', editor, holdsAs('E'))),
    ...(await ofRootRole(system, 'Viewer', viewer, holdsNothing)),
    await ofProjectRole(system, 'the Owner of the project', 'default', owner, holdsAs('O')),
    await ofProjectRole(system, 'the Owner of another project', 'elsewhere', owner, holdsNothing),
    await ofProjectRole(system, 'a Member of the project', 'default', member, holdsAs('M')),
    await mustChoosePassword(system),
  ];
  for (const permission of new Set(rows.flatMap((row) => row.permissions))) {
    callers.push(...(await withExactly(system, permission, rows)));
  }
  return callers;
}

/** A service account that may do everything but this; asked for one row at a time, since there is one for each set of permissions. */
export async function everythingBut(system: TestSystem, lacking: readonly string[]): Promise<Caller> {
  const { body } = await system.call('GET', '/api/admin/permissions');
  const listed: { name: string }[] = [
    ...body.permissions.root,
    ...body.permissions.project,
    ...body.permissions.environments.flatMap(({ permissions }: { permissions: { name: string }[] }) => permissions),
  ];
  const names = new Set(listed.map(({ name }) => name).filter((name) => name !== 'ADMIN' && !lacking.includes(name)));
  const role = await addRole(
    system,
    'root-custom',
    [...names].map((name) => ({ name })),
  );
  const account = await addServiceAccount(system, role);
  return token(`everything but ${lacking.join(' and ')}`, 'service account', account.token, () => false);
}

async function withoutGoodToken(system: TestSystem): Promise<Caller[]> {
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
  // Used before they are taken away: what the gateway remembers of them is tried too.
  const use = (secret: string) => system.call('GET', '/api/admin/addons', { token: secret });
  await Promise.all([use(revoked.token), use(deleted.token)]);
  await system.call('DELETE', `/api/admin/service-account/${revoked.id}/token/${revoked.tokenId}`);
  await system.call('DELETE', `/api/admin/service-account/${deleted.id}`);
  await system.call('DELETE', `/api/admin/api-tokens/${encodeURIComponent(revokedClient.secret)}`);
  const gone = await addPerson(system, admin);
  await system.call('POST', '/logout', { token: null, headers: { cookie: gone.cookie } });
  await eventually(async () => {
    for (const secret of [revoked.token, deleted.token]) {
      if ((await use(secret)).status !== 401) throw new Error('The revocation has not arrived.');
    }
  });
  const nobody = (who: string, headers: Record<string, string>): Caller => ({
    ...{ who, kind: 'nobody', headers, holds: () => false },
  });
  const mistyped = `${revoked.token.slice(0, -1)}${revoked.token.endsWith('0') ? '1' : '0'}`;
  return [
    nobody('nobody', {}),
    nobody('a scheme without a token', { authorization: 'Bearer' }),
    nobody('a mistyped token', { authorization: mistyped }),
    nobody('a token of strange characters', { authorization: 'user: \u00fc' }),
    nobody('an unknown token', { authorization: '*:*.nobody-has-this' }),
    nobody('an unknown client token', { authorization: '*:development.nobody-has-this' }),
    nobody('an expired personal token', { authorization: expired.token }),
    nobody('an expired client token', { authorization: expiredClient.secret }),
    nobody('a revoked personal token', { authorization: revoked.token }),
    nobody('a revoked client token', { authorization: revokedClient.secret }),
    nobody('the token of a deleted account', { authorization: deleted.token }),
    nobody('a session that has ended', { cookie: gone.cookie }),
    nobody('an unknown session', { cookie: 'yardarm-session=session_nobody-has-this' }),
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
  const carried = person.cookie.slice(person.cookie.indexOf('=') + 1);
  return [
    { who: `${name}'s session`, kind: 'person', headers: { cookie: person.cookie }, person, holds },
    token(`${name}'s personal access token`, 'person', person.token, holds),
    token(`${name}'s service account`, 'service account', account.token, holds),
    token(`${name}'s session as a token`, 'misplaced session', carried, () => false),
  ];
}

async function ofProjectRole(
  system: TestSystem,
  who: string,
  project: string,
  role: number,
  holds: Caller['holds'],
): Promise<Caller> {
  const account = await addServiceAccount(system, viewer);
  await giveProjectRole(system, project, role, { users: [account.id] });
  return token(who, 'service account', account.token, holds);
}

async function mustChoosePassword(system: TestSystem): Promise<Caller> {
  const person = await addPerson(system, admin);
  await system.database.rows('update accounts.users set must_change_password = true where id = $1', [person.id]);
  person.cookie = await logIn(system, person.username, person.password);
  return {
    who: 'an Admin who must choose a password first',
    kind: 'person',
    headers: { cookie: person.cookie },
    person,
    mustChoosePassword: true,
    holds: () => true,
  };
}

/** Custom roles with exactly one permission: everywhere, in the project, in another one, in another environment. */
async function withExactly(system: TestSystem, permission: string, rows: readonly GoldenRow[]): Promise<Caller[]> {
  // ADMIN itself is not for custom roles; whoever has all else is tried on every such route.
  if (permission === 'ADMIN') return [];
  const asking = rows.filter((row) => row.permissions.includes(permission));
  const everywhere = await addServiceAccount(system, await addRole(system, 'root-custom', [{ name: permission }]));
  const callers = [token(`${permission} everywhere`, 'service account', everywhere.token, holdsOne(permission))];
  if (!asking.every(({ path }) => path.includes('{projectId}'))) return callers;

  const environment = asking[0]?.environment ?? null;
  const inOne = { name: permission, ...(environment === null ? {} : { environment }) };
  const role = await addRole(system, 'custom', [inOne]);
  const where = environment === null ? '' : ` in ${environment}`;
  callers.push(
    await ofProjectRole(system, `${permission}${where} of the project`, 'default', role, holdsOne(permission)),
    await ofProjectRole(system, `${permission}${where} of another project`, 'elsewhere', role, holdsNothing),
  );
  if (environment !== null) {
    const other = await addRole(system, 'custom', [{ name: permission, environment: 'development' }]);
    callers.push(await ofProjectRole(system, `${permission} in another environment`, 'default', other, holdsNothing));
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

function token(who: string, kind: Kind, secret: string, holds: Caller['holds']): Caller {
  return { who, kind, headers: { authorization: secret }, holds };
}
