// Which routes each kind of token opens, over a real bus with stand-ins for accounts and signals.
import { randomBytes, randomUUID } from 'node:crypto';
import { makeToken } from '@yardarm/shared/auth';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { type ResolvedToken, resolveToken, type TokenKind } from '@yardarm/shared/contracts/accounts';
import { findExistingSignalSelectors, findSignalToken } from '@yardarm/shared/contracts/signals';
import { createLogger } from '@yardarm/shared/log';
import { heapGrowthOf } from '@yardarm/testing/garbage';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Audience, type Route, route } from '../routing/route.ts';
import { type Authenticator, type AuthRequest, createAuthenticator } from './authenticator.ts';
import { SessionCookie } from './session-cookie.ts';
import { createSignalTokens } from './signal-tokens.ts';
import { createTokens } from './tokens.ts';
import { createUnknownTokenLimit } from './unknown-token-limit.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const prefixes: Record<TokenKind, string> = {
  client: '*:development.',
  frontend: '*:development.',
  admin: '*:*.',
  personal: 'user:',
  session: 'session:',
};
const kinds = Object.keys(prefixes) as TokenKind[];
const made = Object.fromEntries(kinds.map((kind) => [kind, makeToken(prefixes[kind])])) as Record<
  TokenKind,
  ReturnType<typeof makeToken>
>;
const signal = makeToken('signal_');

let gateway: Bus;
let services: Bus;
let authenticator: Authenticator;
let stored: Map<string, ResolvedToken>;
let seen: number[];
let signalRequests: number;
let isEndpointOn: boolean;

function resolved(kind: TokenKind): ResolvedToken {
  const isSdk = kind === 'client' || kind === 'frontend';
  const { selector, hash } = made[kind];
  return {
    ...{ id: kinds.indexOf(kind) + 1, kind, name: kind, selector, hash, expiresAt: null, projects: ['*'] },
    environment: isSdk ? 'development' : null,
    actor: isSdk ? null : { kind: 'user', id: 7, username: 'ann', grants: [{ permissions: ['CREATE_ADDON'] }] },
    mustChangePassword: false,
  };
}

function routeOf(audience: Audience, part: Partial<Route> = {}): Route {
  const answer = { status: 200 };
  const handle = async () => answer;
  return route({
    ...{ method: 'post', path: '/x', operationId: 'x', summary: 'x', tag: 'x', audience, answer, errors: [], handle },
    ...part,
  } as Route);
}

function authRequest(headers: Record<string, string>, part: Partial<AuthRequest> = {}): AuthRequest {
  return {
    ...{ host: 'flags.example', isSecure: false, pathParams: { name: 'orders' }, address: '10.0.0.1' },
    context: { requestId: randomUUID(), actor: null, deadline: Date.now() + 2_000, traceparent: null },
    header: (name) => headers[name],
    ...part,
  };
}

/** Rejects with a refusal, also with one that is thrown at once. */
const authenticate = async (on: Route, by: AuthRequest) => authenticator.authenticate(on, by);

/** 'allowed' or the error code. */
async function outcome(on: Route, by: AuthRequest): Promise<string> {
  return authenticate(on, by).then(
    () => 'allowed',
    (error) => error.code ?? String(error),
  );
}

beforeAll(async () => {
  const options = { url: inject('natsUrl'), prefix: `t${randomBytes(6).toString('hex')}`, log };
  [gateway, services] = await Promise.all([
    connectBus({ ...options, name: 'gateway' }),
    connectBus({ ...options, name: 'services' }),
  ]);
  services.serve(resolveToken, async ({ selector }) => ({ token: stored.get(selector) ?? null }));
  services.serve(findExistingSignalSelectors, async ({ selectors }) => ({
    existing: selectors.filter((selector) => selector === signal.selector),
  }));
  services.serve(findSignalToken, async ({ selector }) => {
    signalRequests += 1;
    const { hash } = signal;
    const endpoint = { id: 1, name: 'orders', enabled: isEndpointOn };
    return { token: selector === signal.selector ? { id: 11, selector, hash, endpoint } : null };
  });
  await Promise.all([gateway.flush(), services.flush()]);
});

beforeEach(() => {
  stored = new Map(kinds.map((kind) => [made[kind].selector, resolved(kind)]));
  seen = [];
  signalRequests = 0;
  isEndpointOn = true;
  // A fixed clock: a minute that ends within the test would begin the count anew.
  const limit = createUnknownTokenLimit(5, () => 0);
  authenticator = createAuthenticator(
    createTokens(gateway, limit),
    createSignalTokens(gateway, limit),
    { record: (id) => seen.push(id) },
    new SessionCookie(),
  );
});

afterAll(async () => {
  await Promise.all([gateway?.drain(), services?.drain()]);
});

describe('a token in the header', () => {
  const accepted: [Audience, (TokenKind | 'signal')[]][] = [
    ['admin', ['admin', 'personal']],
    ['client', ['client']],
    ['frontend', ['frontend']],
    ['signal', ['signal']],
    ['public', [...kinds, 'signal']],
  ];

  test.each(accepted)('is accepted on %s routes when it is one of %j, and else refused', async (audience, fitting) => {
    for (const kind of [...kinds, 'signal'] as const) {
      const { token } = kind === 'signal' ? signal : made[kind];
      const expected = fitting.includes(kind) ? 'allowed' : 'no-access';
      const authorization = `Bearer ${token}`;
      expect([kind, await outcome(routeOf(audience), authRequest({ authorization }))]).toEqual([kind, expected]);
      // Signal routes have no other scheme.
      const bare = await outcome(routeOf(audience), authRequest({ authorization: token }));
      expect([kind, bare]).toEqual([kind, audience === 'signal' ? 'unauthenticated' : expected]);
    }
  });

  test.each(['admin', 'client', 'frontend', 'signal'] as const)(
    'that is absent, malformed or unknown is refused on %s routes',
    async (audience) => {
      const { token } = made.admin;
      for (const authorization of [
        '',
        'Bearer ',
        'ü',
        token.slice(0, -1),
        makeToken('*:*.').token,
        makeToken('signal_').token,
      ])
        expect([authorization, await outcome(routeOf(audience), authRequest({ authorization }))]).toEqual([
          authorization,
          'unauthenticated',
        ]);
      expect(await outcome(routeOf(audience), authRequest({}))).toBe('unauthenticated');
    },
  );

  test('is taken from X-API-Key on OFREP routes when Authorization holds no token', async () => {
    const apiKey = made.frontend.token;
    const with_ = (authorization: string, key = apiKey) => authRequest({ authorization, 'x-api-key': key });
    for (const authorization of ['Basic YTpi', ' negotiate  YII=', 'Digest username="a", realm="b"', 'Bearer ', '']) {
      const outcomes = [
        await outcome(routeOf('evaluation'), with_(authorization)),
        await outcome(routeOf('evaluation'), with_(authorization, 'unknown')),
        await outcome(routeOf('evaluation'), authRequest({ authorization })),
        await outcome(routeOf('frontend'), with_(authorization)),
      ];
      expect([authorization, ...outcomes]).toEqual([
        ...[authorization, 'allowed', 'unauthenticated', 'unauthenticated', 'unauthenticated'],
      ]);
    }
    // A token in Authorization decides.
    expect(await outcome(routeOf('evaluation'), with_(`Bearer ${made.admin.token}`))).toBe('no-access');
    expect(await outcome(routeOf('evaluation'), with_(made.client.token, 'unknown'))).toBe('allowed');
  });

  test('is recorded as used when it is accepted, and not when it is of another kind', async () => {
    await outcome(routeOf('client'), authRequest({ authorization: made.client.token }));
    await outcome(routeOf('client'), authRequest({ authorization: made.admin.token }));
    expect(seen).toEqual([resolved('client').id]);
  });
});

describe('a session', () => {
  const cookie = `a=1; yardarm-session=${made.session.token}`;

  test('opens admin routes by its cookie', async () => {
    const { actor } = await authenticate(routeOf('admin'), authRequest({ cookie }));
    expect(actor).toMatchObject({ username: 'ann' });
  });

  test('does not open routes of SDKs', async () => {
    expect(await outcome(routeOf('client'), authRequest({ cookie }))).toBe('unauthenticated');
  });

  test('is not read when there is a header, even an empty one', async () => {
    expect(await outcome(routeOf('admin'), authRequest({ cookie, authorization: '' }))).toBe('unauthenticated');
    expect(await outcome(routeOf('admin'), authRequest({ cookie, authorization: made.client.token }))).toBe(
      'no-access',
    );
  });

  test('is the only token that a cookie can carry', async () => {
    const stolen = `yardarm-session=${made.admin.token}`;
    expect(await outcome(routeOf('admin'), authRequest({ cookie: stolen }))).toBe('unauthenticated');
  });

  test('may not change anything for a page of another site; a header token may', async () => {
    const page = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect(await outcome(routeOf('admin'), authRequest({ cookie, ...page }))).toBe('forbidden');
    expect(await outcome(routeOf('admin', { method: 'get' }), authRequest({ cookie, ...page }))).toBe('allowed');
    const logout = routeOf('admin', { method: 'get', writes: true });
    expect(await outcome(logout, authRequest({ cookie, 'sec-fetch-site': 'cross-site' }))).toBe('forbidden');
    expect(await outcome(routeOf('admin'), authRequest({ authorization: made.admin.token, ...page }))).toBe('allowed');
    expect(await outcome(routeOf('admin'), authRequest({ cookie, origin: 'https://flags.example' }))).toBe('allowed');
  });

  test('of a user who must choose a password opens only the routes for that', async () => {
    stored.set(made.session.selector, { ...resolved('session'), mustChangePassword: true });
    await expect(authenticate(routeOf('admin'), authRequest({ cookie }))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('POST /api/admin/user/change-password'),
    });
    expect(await outcome(routeOf('admin', { beforePasswordChange: true }), authRequest({ cookie }))).toBe('allowed');
  });
});

describe('the permission of a route', () => {
  const by = (part: Partial<AuthRequest>) => authRequest({ authorization: made.personal.token }, part);
  const switchRoute = routeOf('admin', { permission: 'UPDATE_FEATURE_ENVIRONMENT' });

  test('is required by the gateway, any one of several', async () => {
    expect(await outcome(routeOf('admin', { permission: 'CREATE_ADDON' }), by({}))).toBe('allowed');
    expect(await outcome(routeOf('admin', { permission: ['ADMIN', 'CREATE_ADDON'] }), by({}))).toBe('allowed');
    await expect(authenticate(routeOf('admin', { permission: 'DELETE_ADDON' }), by({}))).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('"DELETE_ADDON"'),
    });
  });

  test('is required in the project and the environment that the path names', async () => {
    const grants = [
      { permissions: ['UPDATE_FEATURE_ENVIRONMENT' as const], projects: ['shop'], environment: 'development' },
    ];
    stored.set(made.personal.selector, { ...resolved('personal'), actor: { ...resolved('personal').actor!, grants } });
    const place = (projectId: string, environment: string) => by({ pathParams: { projectId, environment } });
    expect(await outcome(switchRoute, place('shop', 'development'))).toBe('allowed');
    expect(await outcome(switchRoute, place('other', 'development'))).toBe('no-access');
    await expect(authenticate(switchRoute, place('shop', 'production'))).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringMatching(/"UPDATE_FEATURE_ENVIRONMENT".*"production"/),
    });
  });
});

describe('a signal token', () => {
  const sent = (name: string, token = signal.token) =>
    authRequest({ authorization: `Bearer ${token}` }, { pathParams: { name } });

  test('opens the endpoint that it belongs to', async () => {
    expect(await authenticate(routeOf('signal'), sent('orders'))).toMatchObject({
      sender: { endpointId: 1, tokenId: 11 },
    });
  });

  test('gets the same answer for the endpoint of another token as for one that does not exist', async () => {
    isEndpointOn = false;
    for (const name of ['other', 'nowhere', 'Orders', '']) {
      await expect(authenticate(routeOf('signal'), sent(name))).rejects.toMatchObject({
        code: 'not-found',
        message: `Could not find the signal endpoint "${name}".`,
      });
    }
  });

  test('is told that its own endpoint is off', async () => {
    isEndpointOn = false;
    await expect(authenticate(routeOf('signal'), sent('orders'))).rejects.toMatchObject({
      code: 'not-found',
      message: 'The signal endpoint "orders" is switched off.',
    });
  });

  test.each(['Basic', 'bearer', 'BEARER', 'Token', ''])('is read with Bearer only, not with "%s"', async (scheme) => {
    const authorization = `${scheme} ${signal.token}`;
    const by = authRequest({ authorization }, { pathParams: { name: 'orders' } });
    expect(await outcome(routeOf('signal'), by)).toBe(/bearer/i.test(scheme) ? 'allowed' : 'unauthenticated');
  });

  test('that is unknown is asked for once, whatever the audience of the route', async () => {
    const { token } = makeToken('signal_');
    for (const audience of ['signal', 'admin', 'client', 'signal'] as const)
      expect(await outcome(routeOf(audience), sent('orders', token))).toBe('unauthenticated');
    expect(signalRequests).toBe(1);
  });

  test('that is unknown is refused after many from one address, and a known one is accepted', async () => {
    for (let i = 0; i < 20; i += 1)
      expect(await outcome(routeOf('signal'), sent('orders', makeToken('signal_').token))).toBe('unauthenticated');
    expect(await outcome(routeOf('signal'), sent('orders'))).toBe('allowed');
    // Five guesses and the token. The other guesses were checked.
    expect(signalRequests).toBe(6);
  });
});

test('the token of a header or a cookie names its caller once it was accepted', async () => {
  const cookie = `a=1; yardarm-session=${made.session.token}`;
  const authorization = `Bearer ${made.client.token}`;
  expect(authenticator.acceptedToken({ cookie })).toBeUndefined();
  expect(authenticator.acceptedToken({ authorization })).toBeUndefined();
  await authenticate(routeOf('admin'), authRequest({ cookie }));
  await authenticate(routeOf('client'), authRequest({ authorization }));
  expect(authenticator.acceptedToken({ cookie })).toBe(made.session.token);
  expect(authenticator.acceptedToken({ authorization, cookie })).toBe(made.client.token);
  const unknown = makeToken('*:*.').token;
  expect(await outcome(routeOf('admin'), authRequest({ authorization: unknown }))).toBe('unauthenticated');
  expect(authenticator.acceptedToken({ authorization: unknown, cookie })).toBeUndefined();
});

test('an accepted token keeps nothing of its header in memory', async () => {
  const tokens = Array.from({ length: 100 }, () => makeToken('*:development.'));
  for (const { selector, hash } of tokens) stored.set(selector, { ...resolved('client'), selector, hash });
  const growth = await heapGrowthOf(async () => {
    for (const { token } of tokens) {
      const authorization = Buffer.from(`Bearer${' '.repeat(100_000)}${token}`).toString('latin1');
      await authenticate(routeOf('client'), authRequest({ authorization }));
    }
  });
  expect(authenticator.acceptedToken({ authorization: tokens[0]!.token })).toBe(tokens[0]!.token);
  expect(growth).toBeLessThan(5_000_000);
});
