// Tokens: the scope and lifetime of SDK tokens, tokens of one project, personal tokens, and the validation for proxies.
import { addProject, addRole, eventually, grantProjectRole, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The promised time until a revocation takes effect. */
const maxDelayMs = 2_000;
const never = '2999-01-01T00:00:00.000Z';
const path = '/api/admin/api-tokens';
let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
  await addProject(system, 'shop');
  for (const project of ['default', 'shop']) {
    const made = await system.call('POST', `/api/admin/projects/${project}/features`, {
      body: { name: `${project}.flag` },
    });
    expect(made.status).toBe(201);
  }
  await system.processAll();
});

afterAll(() => system?.stop());

async function makeToken(body: object, to = path) {
  const made = await system.call('POST', to, { body: { type: 'client', tokenName: 'sdk', ...body } });
  expect(made).toMatchObject({ status: 201 });
  return made;
}

const read = (token: string) => system.call('GET', '/api/client/features', { token });
const flagsOf = async (token: string) => (await read(token)).body.features.map(({ name }: { name: string }) => name);

/** Reads with a token until it is refused: not before it expires, and at most the promised time later. */
const untilExpired = (token: string, expiresAt: number) =>
  eventually(
    async () => {
      const { status } = await read(token);
      if (Date.now() < expiresAt) expect.soft(status).toBe(200);
      expect(status).toBe(401);
    },
    expiresAt + maxDelayMs - Date.now(),
  );

const named = (secret: string) => `${path}/${encodeURIComponent(secret)}`;

describe('an SDK token', () => {
  test.each([
    [['default'], ['default.flag']],
    [['shop'], ['shop.flag']],
    [
      ['default', 'shop'],
      ['default.flag', 'shop.flag'],
    ],
    [['*'], ['default.flag', 'shop.flag']],
  ])('of %j reads %j', async (projects, flags) => {
    const { body } = await makeToken({ projects });
    expect(await flagsOf(body.secret)).toEqual(flags);
  });

  test('is made with 201 and its location, and listed with its secret, which is not cached', async () => {
    const { body, headers } = await makeToken({ tokenName: 'my sdk/1', projects: ['shop'], environment: 'production' });
    expect(headers.get('cache-control')).toBe('no-store');
    const location = headers.get('location') as string;
    expect(location).toBe(`${path}/my%20sdk%2F1`);
    const found = await system.call('GET', location);
    expect(found).toMatchObject({
      status: 200,
      body: { tokens: [{ tokenName: 'my sdk/1', type: 'client', environment: 'production', projects: ['shop'] }] },
    });
    // As Terraform finds the token of its state: by its secret in the list.
    const all = await system.call('GET', path);
    expect(all.headers.get('cache-control')).toBe('no-store');
    const inList = all.body.tokens.find(({ secret }: { secret: string }) => secret === body.secret);
    expect(inList).toEqual({ ...body, seenAt: null });
    expect(found.body.tokens).toEqual([inList]);
    expect(await system.call('GET', `${path}/nobody`)).toMatchObject({ status: 200, body: { tokens: [] } });
  });

  test('is refused within two seconds after its deletion by the whole token or up to its selector', async () => {
    const tokens = [await makeToken({}), await makeToken({ tokenName: 'listed' })].map(({ body }) => body.secret);
    for (const token of tokens) expect((await read(token)).status).toBe(200);
    const listed = tokens[1].slice(0, tokens[1].lastIndexOf('_'));
    for (const [index, name] of [tokens[0], listed].entries()) {
      expect(await system.call('DELETE', named(name))).toMatchObject({ status: 200, text: '' });
      await eventually(async () => expect((await read(tokens[index])).status).toBe(401), maxDelayMs);
      expect(await system.call('DELETE', named(name))).toMatchObject({ status: 200, text: '' });
    }
  });

  test('ends when it expires, also after a change of the time', async () => {
    const expiresAt = Date.now() + 2_000;
    const short = (await makeToken({ expiresAt: new Date(expiresAt) })).body.secret;
    const long = (await makeToken({ expiresAt: never })).body.secret;
    await untilExpired(short, expiresAt);
    expect((await read(long)).status).toBe(200);
    const changedTo = Date.now() + 500;
    const changed = await system.call('PUT', named(long), { body: { expiresAt: new Date(changedTo) } });
    expect(changed).toMatchObject({ status: 200, text: '' });
    await untilExpired(long, changedTo);
    await system.call('PUT', named(short), { body: { expiresAt: null } });
    await eventually(async () => expect((await read(short)).status).toBe(200), maxDelayMs);
  });

  test('has the time of its last use', async () => {
    const startedAt = Date.now();
    const { body } = await makeToken({ tokenName: 'used' });
    expect(body.seenAt).toBeNull();
    await read(body.secret);
    await system.services.gateway.processAll();
    const { tokens } = (await system.call('GET', `${path}/used`)).body;
    expect(Date.parse(tokens[0].seenAt)).toBeGreaterThanOrEqual(startedAt);
  });

  test.each([
    [{ type: 'robot' }, 'ValidationError', '.type'],
    [{ environment: 'nowhere' }, 'BadDataError', '"nowhere"'],
    [{ projects: ['nowhere'] }, 'BadDataError', '"nowhere"'],
    [{ environment: '*' }, 'BadDataError', '.environment'],
    [{ tokenName: undefined }, 'BadDataError', '.tokenName'],
    [{ expiresAt: 'tomorrow' }, 'ValidationError', '.expiresAt'],
    [{ project: 'shop', projects: ['default'] }, 'BadDataError', '.project'],
  ])('of %j is a 400 that names the property', async (body, name, words) => {
    const refused = await system.call('POST', path, { body: { type: 'client', tokenName: 'sdk', ...body } });
    expect(refused).toMatchObject({ status: 400, body: { name } });
    expect(refused.text).toContain(words.replaceAll('"', '\\"'));
  });
});

describe('tokens of one project', () => {
  const ofShop = '/api/admin/projects/shop/api-tokens';

  test('require the permission there', async () => {
    const role = await addRole(system, 'custom', [
      { name: 'READ_PROJECT_API_TOKEN' },
      { name: 'CREATE_PROJECT_API_TOKEN' },
      { name: 'DELETE_PROJECT_API_TOKEN' },
    ]);
    const account = await system.call('POST', '/api/admin/service-account', {
      body: { username: 'shop-deployer', name: 'Shop deployer', rootRole: 3 },
    });
    const { body: pat } = await system.call('POST', `/api/admin/service-account/${account.body.id}/token`, {
      body: { description: 'ci', expiresAt: never },
    });
    await grantProjectRole(system, 'shop', role, { users: [account.body.id] });
    const token = pat.secret;

    const made = await system.call('POST', ofShop, { token, body: { type: 'frontend', tokenName: 'of shop' } });
    expect(made).toMatchObject({ status: 201, body: { type: 'frontend', projects: ['shop'] } });
    const listed = await system.call('GET', ofShop, { token });
    expect(listed.body.tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).toContain('of shop');

    const elsewhere = await system.call('POST', '/api/admin/projects/default/api-tokens', {
      token,
      body: { type: 'client', tokenName: 'of default' },
    });
    expect(elsewhere).toMatchObject({ status: 403 });
    expect(elsewhere.body.message).toContain('"CREATE_PROJECT_API_TOKEN"');
    expect((await system.call('GET', path, { token })).status).toBe(403);

    const several = await makeToken({ projects: ['shop', 'default'] });
    const shared = await system.call('DELETE', `${ofShop}/${encodeURIComponent(several.body.secret)}`, { token });
    expect(shared).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
    const own = await system.call('DELETE', `${ofShop}/${encodeURIComponent(made.body.secret)}`, { token });
    expect(own).toMatchObject({ status: 200, text: '' });
    const again = await system.call('DELETE', `${ofShop}/${encodeURIComponent(made.body.secret)}`, { token });
    expect(again).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
  });

  // `*` is a scope of tokens and not a project.
  test.each(['nowhere', '*', '%2A'])('of the unknown project %s are a 404', async (project) => {
    const nowhere = `/api/admin/projects/${project}/api-tokens`;
    expect((await system.call('GET', nowhere)).status).toBe(404);
    const made = await system.call('POST', nowhere, { body: { type: 'client', tokenName: 'sdk' } });
    expect(made).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
    expect((await system.call('DELETE', `${nowhere}/x`)).status).toBe(404);
  });
});

test('personal access tokens are for people: an admin token is refused', async () => {
  const refused = await system.call('POST', '/api/admin/user/tokens', {
    body: { description: 'x', expiresAt: never },
  });
  expect(refused).toMatchObject({
    status: 403,
    body: { name: 'ForbiddenError', message: 'PATs require an authenticated user.' },
  });
});

describe('the validation for proxies', () => {
  const validate = (tokens: unknown) => system.call('POST', '/edge/validate', { token: null, body: { tokens } });

  test('returns the valid SDK tokens, and no others', async () => {
    const client = (await makeToken({ projects: ['shop'] })).body.secret;
    const frontend = (await makeToken({ type: 'frontend', environment: 'production' })).body.secret;
    const revoked = (await makeToken({})).body.secret;
    await system.call('DELETE', named(revoked));
    const others = [revoked, system.adminToken, '*:development.nobody-has-this', 'user:nobody', '', 'ü'];
    const answer = await validate([client, ...others, frontend]);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      tokens: [
        { token: client, type: 'client', projects: ['shop'], environment: 'development' },
        { token: frontend, type: 'frontend', projects: ['*'], environment: 'production' },
      ],
    });
  });

  test.each([[undefined], ['x'], [[5]], [Array.from({ length: 101 }, () => 'x')]])(
    'with other tokens than a list of at most a hundred is a 400: case %#',
    async (tokens) => {
      expect(await validate(tokens)).toMatchObject({ status: 400, body: { name: 'ValidationError' } });
    },
  );

  test('refuses too many guesses at once, and no token because of guesses', async () => {
    const body = { tokenName: 'unseen', type: 'client', environment: 'development', projects: ['*'] };
    const unseen = async () => (await system.call('POST', '/api/admin/api-tokens', { body })).body.secret as string;
    const tokens = [await unseen(), await unseen()];
    const guesses = (round: number) => Array.from({ length: 100 }, (_, n) => `*:development.guess-${round}-${n}`);
    const rounds = Array.from({ length: 20 }, (_, round) => validate(guesses(round)));
    const [validated, listing] = await Promise.all([validate([tokens[0]]), read(tokens[1]!)]);
    expect(validated.body.tokens).toMatchObject([{ token: tokens[0] }]);
    expect(listing.status).toBe(200);
    const answers = await Promise.all(rounds);
    // How many find room depends on the machine.
    for (const { status, headers, body: sent } of answers) {
      if (status === 200) expect(sent.tokens).toEqual([]);
      else expect([status, headers.get('retry-after'), sent.name]).toEqual([429, '1', 'RateLimitError']);
    }
  });
});
