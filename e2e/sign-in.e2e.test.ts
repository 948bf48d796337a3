// Sign-in: login, cookie, logout, the required change of a password, the reset by link, and the limits of attempts.
import { type CallOptions, type CallResult, eventually, longTest, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let system: TestSystem;
let people = 0;
let ann: { id: number; username: string };

const firstPassword = 'Str0ng!passw0rd';
const newPassword = 'An0ther!passw0rd';

beforeAll(async () => {
  system = await startSystem({
    UNLEASH_URL: 'https://flags.example.com/',
    SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000',
    PASSWORD_RESET_LIMIT_PER_MINUTE: '1000',
    TRUST_PROXY: '1',
  });
});

afterAll(() => system?.stop());

beforeEach(async () => {
  people += 1;
  const username = `ann${people}`;
  const body = { username, email: `${username}@example.com`, rootRole: 'Editor', password: firstPassword };
  const made = await system.call('POST', '/api/admin/user-admin', { body });
  ann = { id: made.body.id, username };
});

const logIn = (password = firstPassword, username = ann.username, headers: Record<string, string> = {}) =>
  system.call('POST', '/auth/simple/login', { token: null, body: { username, password }, headers });
const cookieOf = (answer: CallResult) => answer.headers.get('set-cookie')?.split(';')[0] as string;
const by = (cookie: string, options: CallOptions = {}): CallOptions => ({
  ...options,
  token: null,
  headers: { cookie, ...options.headers },
});
const me = (cookie: string) => system.call('GET', '/api/admin/user', by(cookie));

describe('a login', () => {
  test('returns a session in a cookie that scripts and other sites cannot use, and the admin API accepts it', async () => {
    const answer = await logIn();
    expect(answer).toMatchObject({ status: 200, body: { id: ann.id, username: ann.username, rootRole: 2 } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const cookie = answer.headers.get('set-cookie') as string;
    expect(cookie).toMatch(/^yardarm-session=session_yd_\w+; Expires=[^;]+ GMT; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(answer.text).not.toContain('session_');
    expect(await me(cookieOf(answer))).toMatchObject({ status: 200, body: { user: { id: ann.id } } });
    const flag = by(cookieOf(answer), { body: { name: `by-session-${people}` } });
    const made = await system.call('POST', '/api/admin/projects/default/features', flag);
    expect(made.status).toBe(201);
  });

  test('over HTTPS returns a cookie for HTTPS only', async () => {
    const answer = await logIn(firstPassword, ann.username, { 'x-forwarded-proto': 'https' });
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-yardarm-session=.*; Path=\/; .*; Secure$/);
    const byHttps = { headers: { 'x-forwarded-proto': 'https' } };
    const read = (cookie: string) => system.call('GET', '/api/admin/user', by(cookie, byHttps));
    expect((await read(cookieOf(answer))).status).toBe(200);
    // A sibling host or an attacker in the network could have planted a cookie without the prefix.
    expect((await read(cookieOf(answer).replace('__Host-', ''))).status).toBe(401);
  });

  test('over HTTPS changes nothing for a page of this host by http:', async () => {
    const cookie = cookieOf(await logIn(firstPassword, ann.username, { 'x-forwarded-proto': 'https' }));
    const host = new URL(system.url).host;
    const from = (protocol: string) =>
      system.call(
        'POST',
        '/api/admin/user-admin/validate-password',
        by(cookie, {
          body: { password: firstPassword },
          headers: { 'x-forwarded-proto': 'https', origin: `${protocol}://${host}` },
        }),
      );
    expect((await from('http')).status).toBe(403);
    expect((await from('https')).status).toBe(200);
  });

  test.each([
    ['a wrong password', () => [ann.username, 'wr0ng!Password']],
    ['an unknown name', () => ['nobody', firstPassword]],
  ])('with %s is 401, without a cookie', async (_title, credentials) => {
    const [username, password] = credentials();
    const answer = await logIn(password, username);
    expect(answer).toMatchObject({ status: 401, body: { name: 'PasswordMismatch' } });
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test.each([
    ['nothing', {}, '.username'],
    ['a number for a password', { username: 'a', password: 1 }, '.password'],
  ])('with %s is 400 and names the property', async (_title, body, property) => {
    const answer = await system.call('POST', '/auth/simple/login', { token: null, body });
    expect(answer).toMatchObject({ status: 400, body: { name: 'ValidationError' } });
    expect(answer.text).toContain(property);
  });
});

describe('a logout', () => {
  test.each(['GET', 'POST'])('by %s ends the session and clears the cookie', async (method) => {
    const cookie = cookieOf(await logIn());
    const answer = await system.call(method, '/logout', by(cookie));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(/^yardarm-session=; Expires=Thu, 01 Jan 1970 00:00:00 GMT/);
    await eventually(async () => expect((await me(cookie)).status).toBe(401));
  });

  test('by a page of another site is refused, and the session goes on', async () => {
    const cookie = cookieOf(await logIn());
    for (const site of ['cross-site', 'same-site']) {
      const answer = await system.call('GET', '/logout', by(cookie, { headers: { 'sec-fetch-site': site } }));
      expect(answer.status).toBe(403);
    }
    expect((await me(cookie)).status).toBe(200);
  });

  test('redirects a browser to the front page', async () => {
    const cookie = cookieOf(await logIn());
    const answer = await system.call('GET', '/logout', by(cookie, { headers: { accept: 'text/html,*/*' } }));
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/');
  });

  test('without a session is 401', async () => {
    expect((await system.call('POST', '/logout', { token: null })).status).toBe(401);
  });
});

describe('one’s own password', () => {
  const change = (cookie: string, body: Record<string, string>) =>
    system.call('POST', '/api/admin/user/change-password', by(cookie, { body }));

  test('that must be changed is changed before anything else', async () => {
    const owner = new pg.Client({ connectionString: system.database.ownerUrl });
    await owner.connect();
    await owner.query('update accounts.users set must_change_password = true where id = $1', [ann.id]);
    await owner.end();
    const login = await logIn();
    expect(login).toMatchObject({ status: 200, body: { mustChangePassword: true } });
    const cookie = cookieOf(login);
    expect(await system.call('GET', '/api/admin/feature-types', by(cookie))).toMatchObject({
      status: 403,
      body: { name: 'ForbiddenError', message: expect.stringContaining('/api/admin/user/change-password') },
    });
    expect((await me(cookie)).status).toBe(200);

    const body = { password: newPassword, confirmPassword: newPassword, oldPassword: firstPassword };
    expect(await change(cookie, body)).toMatchObject({ status: 200, text: '' });
    await eventually(async () =>
      expect((await system.call('GET', '/api/admin/feature-types', by(cookie))).status).toBe(200),
    );
    expect((await logIn(newPassword)).body.mustChangePassword).toBeUndefined();
  });

  test('ends the other sessions when it is changed, and refusals give the reason', async () => {
    const [mine, other] = [cookieOf(await logIn()), cookieOf(await logIn())];
    const good = { password: newPassword, confirmPassword: newPassword, oldPassword: firstPassword };
    expect(await change(mine, { ...good, confirmPassword: 'x' })).toMatchObject({ status: 400 });
    expect(await change(mine, { ...good, oldPassword: 'x' })).toMatchObject({
      status: 401,
      body: { name: 'PasswordMismatch' },
    });
    expect(await change(mine, { ...good, password: 'weak', confirmPassword: 'weak' })).toMatchObject({
      status: 400,
      body: {
        name: 'OwaspValidationError',
        message: 'The password must be at least 10 characters long.',
        details: [{ validationErrors: expect.arrayContaining(['The password must contain at least one number.']) }],
      },
    });
    expect((await change(mine, good)).status).toBe(200);
    await eventually(async () => expect((await me(other)).status).toBe(401));
    expect((await me(mine)).status).toBe(200);
  });

  test('cannot be changed with an admin token', async () => {
    const body = { password: newPassword, confirmPassword: newPassword, oldPassword: firstPassword };
    expect(await system.call('POST', '/api/admin/user/change-password', { body })).toMatchObject({
      status: 403,
      body: { name: 'ForbiddenError' },
    });
  });
});

describe('a reset by link', () => {
  const resetAnn = () => system.call('POST', '/api/admin/user-admin/reset-password', { body: { id: ann.username } });
  const inviteUser = () =>
    system.call('POST', '/api/admin/user-admin', { body: { username: `invited${people}`, rootRole: 'Viewer' } });

  test('sets a password once', async () => {
    const cookie = cookieOf(await logIn());
    const body = { description: 'laptop', expiresAt: '2099-01-01T00:00:00Z' };
    const pat = await system.call('POST', '/api/admin/user/tokens', by(cookie, { body }));
    const made = await system.call('POST', '/api/admin/user-admin/reset-password', {
      body: { id: `${ann.username}@EXAMPLE.com` },
    });
    expect(made.status).toBe(200);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const link = new URL(made.body.resetPasswordUrl);
    expect(link.origin + link.pathname).toBe('https://flags.example.com/reset-password');
    const token = link.searchParams.get('token') as string;

    const validate = () =>
      system.call('GET', `/auth/reset/validate?token=${encodeURIComponent(token)}`, { token: null });
    expect(await validate()).toMatchObject({
      status: 200,
      body: { id: ann.id, email: `${ann.username}@example.com`, token, role: { id: 2, name: 'Editor' } },
    });
    const choose = (password: string) =>
      system.call('POST', '/auth/reset/password', { token: null, body: { token, password } });
    expect((await choose('weak')).status).toBe(400);
    expect(await choose(newPassword)).toMatchObject({ status: 200, text: '' });
    expect((await logIn(newPassword)).status).toBe(200);
    await eventually(async () => expect((await me(cookie)).status).toBe(401));
    const byToken = () => system.call('GET', '/api/admin/user', { token: pat.body.secret });
    await eventually(async () => expect((await byToken()).status).toBe(401));
    expect(await choose(firstPassword)).toMatchObject({ status: 401, body: { name: 'InvalidTokenError' } });
    expect((await validate()).status).toBe(401);
  });

  test.each([
    ['of an invited user', async () => (await inviteUser()).body.inviteLink, '/new-user'],
    ['of a reset', async () => (await resetAnn()).body.resetPasswordUrl, '/reset-password'],
  ])('%s leads to a page that leaks no token and loads nothing from other hosts', async (_title, makeLink, path) => {
    const link = new URL(await makeLink());
    expect(link.pathname).toBe(path);
    const page = await system.call('GET', link.pathname + link.search, { token: null });
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Choose a password') });
    const docs = await system.call('GET', '/docs', { token: null });
    for (const { headers } of [page, docs]) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self'; /),
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
      });
    }
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(docs.text).not.toMatch(/<style|style=|<script(?! src="\/docs\/)/);
    // Nothing inline, which the policy would block, and nothing from other hosts.
    expect(page.text).not.toMatch(/<style|style=|<script>|\son\w+=|\/\/|reset_yd_/);
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part as string);
    const types = await Promise.all(
      parts.map(async (part) => {
        const answer = await system.call('GET', new URL(part, link).pathname, { token: null });
        return [answer.status, answer.headers.get('content-type')];
      }),
    );
    expect(types.toSorted()).toEqual([
      [200, 'text/css; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
    ]);
  });

  test('of an unknown user is 404, and without a token 400', async () => {
    const unknownUser = { body: { id: 'nobody@example.com' } };
    expect((await system.call('POST', '/api/admin/user-admin/reset-password', unknownUser)).status).toBe(404);
    expect((await system.call('GET', '/auth/reset/validate', { token: null })).status).toBe(400);
  });
});

test('an admin lists and deletes the tokens of a user, and a new password deletes the others', async () => {
  const cookie = cookieOf(await logIn());
  const make = async (description: string) => {
    const body = { description, expiresAt: '2099-01-01T00:00:00Z' };
    const made = await system.call('POST', '/api/admin/user/tokens', by(cookie, { body }));
    expect(made).toMatchObject({ status: 201, body: { userId: ann.id, description } });
    expect(made.headers.get('location')).toBe(`/api/admin/user/tokens/${made.body.id}`);
    expect(made.headers.get('cache-control')).toBe('no-store');
    return made.body as { id: number; secret: string };
  };
  const [stolen, other] = [await make('stolen'), await make('other')];
  const uses = async (token: string) => (await system.call('GET', '/api/admin/user', { token })).status;
  const path = `/api/admin/user-admin/${ann.id}`;
  expect((await system.call('GET', `${path}/tokens`)).body.pats).toMatchObject([
    { id: stolen.id, description: 'stolen' },
    { id: other.id, description: 'other' },
  ]);
  expect((await system.call('GET', `${path}/tokens`)).text).not.toContain('"secret"');
  expect(await uses(stolen.secret)).toBe(200);
  expect((await system.call('DELETE', `${path}/tokens/${stolen.id}`)).status).toBe(200);
  await eventually(async () => expect(await uses(stolen.secret)).toBe(401));
  expect(await uses(other.secret)).toBe(200);
  expect((await system.call('DELETE', `${path}/tokens/${stolen.id}`)).status).toBe(404);

  const change = (body: object) => system.call('POST', `${path}/change-password`, { body });
  expect((await change({ password: newPassword, keepPersonalTokens: 'yes' })).status).toBe(400);
  expect((await change({ password: newPassword, keepPersonalTokens: true })).status).toBe(200);
  expect(await uses(other.secret)).toBe(200);
  expect((await change({ password: firstPassword })).status).toBe(200);
  await eventually(async () => expect(await uses(other.secret)).toBe(401));
  expect((await system.call('GET', `${path}/tokens`)).body).toEqual({ pats: [] });
});

test('an admin sets a password, and any caller can check the strength of one', async () => {
  const path = `/api/admin/user-admin/${ann.id}/change-password`;
  expect(await system.call('POST', path, { body: { password: newPassword } })).toMatchObject({ status: 200, text: '' });
  expect((await logIn(newPassword)).status).toBe(200);
  const unknown = '/api/admin/user-admin/999999/change-password';
  expect((await system.call('POST', unknown, { body: { password: newPassword } })).status).toBe(404);
  for (const [where, token] of [
    ['/auth/reset/validate-password', null],
    ['/api/admin/user-admin/validate-password', system.adminToken],
  ] as const) {
    expect((await system.call('POST', where, { token, body: { password: newPassword } })).status).toBe(200);
    expect((await system.call('POST', where, { token, body: { password: 'weak' } })).status).toBe(400);
  }
});

test('the first admin can log in', async () => {
  expect(await logIn(system.adminPassword, 'admin')).toMatchObject({ status: 200, body: { rootRole: 1 } });
});

describe('too many', () => {
  test('wrong passwords for one account from one address are 429 with the time to wait, and another address is not limited', async () => {
    const from = (address: string, password: string) => logIn(password, ann.username, { 'x-forwarded-for': address });
    const statuses = [];
    for (let guesses = 0; guesses < 6; guesses += 1)
      statuses.push((await from('203.0.113.66', 'wr0ng!Password')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const refused = await from('203.0.113.66', firstPassword);
    expect(refused).toMatchObject({ status: 429, body: { name: 'RateLimitError' } });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(500);
    expect(seconds).toBeLessThanOrEqual(600);
    expect((await from('203.0.113.67', firstPassword)).status).toBe(200);
  });

  longTest('logins from one address are 429, counted over all gateways', async () => {
    const limited = await startSystem();
    try {
      const urls = [limited.url, await limited.addGateway()];
      const statuses = [];
      for (let logins = 0; logins < 12; logins += 1) {
        const body = { username: `user${logins}`, password: 'wr0ng!Password' };
        const url = urls[logins % 2] as string;
        const answer = await limited.call('POST', '/auth/simple/login', { token: null, url, body });
        statuses.push(answer.status);
        if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      }
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    } finally {
      await limited.stop();
    }
  });
});
