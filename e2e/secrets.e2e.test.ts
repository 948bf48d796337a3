// The tests send secrets of every kind in requests that succeed, are refused or fail, while all services log at level
// trace. Then they search for the secrets in log lines, answers, metrics, tables, streams, files of the database, and
// the copy that a gateway keeps on its disk. Secrets of SDK tokens, which administrators can read, are stored encrypted
// alone.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '@yardarm/shared/log';
import { scrape } from '@yardarm/shared/telemetry';
import {
  addPerson,
  addServiceAccount,
  type CallOptions,
  type CallResult,
  eventually,
  filesOf,
  logIn,
  makePassword,
  namesOfStreams,
  readWholeStream,
  startReceiver,
  type TestPerson,
  type TestReceiver,
  type TestServiceAccount,
  type TestSystem,
} from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const never = '2999-01-01T00:00:00Z';
const random = () => randomBytes(16).toString('hex');

const encryptionKey = randomBytes(32);
/** What the gateway at `copyingUrl` keeps on its disk. */
const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-secrets-'));
let copyingUrl: string;
let system: TestSystem;
let receiver: TestReceiver;
const logged: string[] = [];
/** Every answer except those that return a secret to a caller who may read it. */
const answers: string[] = [];
/** The texts that must not be found, by name: the random parts of the secrets. */
const needles = new Map<string, string>();

let person: TestPerson;
let robot: TestServiceAccount;
let viewer: TestServiceAccount;
let signal: { path: string; token: string };
let ticket: string;
let client: string;
let frontend: string;
let resetToken: string;
let inviteToken: string;
const nextPassword = makePassword();
const webhook = { secret: random(), authorization: random(), header: random() };

async function call(method: string, path: string, options: CallOptions = {}): Promise<CallResult> {
  const answer = await system.call(method, path, options);
  answers.push(`${method} ${path.split('?')[0]?.slice(0, 40)} ${answer.text} ${JSON.stringify([...answer.headers])}`);
  return answer;
}

const webhookBody = () => ({
  provider: 'webhook',
  enabled: true,
  events: ['feature-created'],
  parameters: {
    url: `${receiver.url}/${webhook.secret}`,
    authorization: `Bearer ${webhook.authorization}`,
    customHeaders: JSON.stringify({ 'x-key': webhook.header }),
  },
});

beforeAll(async () => {
  receiver = await startReceiver();
  const destination = { write: (line: string) => void logged.push(line) };
  system = await startSystem(
    {
      // All users log in from one address here.
      SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000',
      PASSWORD_RESET_LIMIT_PER_MINUTE: '1000',
      ACCOUNTS_ENCRYPTION_KEY: encryptionKey.toString('base64'),
    },
    createLogger({ service: 'system', level: 'trace', destination }),
  );
  copyingUrl = await system.addGateway({}, { YARDARM_DATA_DIR: folder });
  person = await addPerson(system, 1);
  robot = await addServiceAccount(system, 1);
  viewer = await addServiceAccount(system, 3);
  const sdkToken = async (type: string) => {
    const body = { type, tokenName: type, environment: 'development' };
    return (await system.call('POST', '/api/admin/api-tokens', { body })).body.secret;
  };
  client = await sdkToken('client');
  frontend = await sdkToken('frontend');
  const endpoint = await system.call('POST', '/api/admin/signal-endpoints', { body: { name: 'searched' } });
  const issued = await system.call('POST', `/api/admin/signal-endpoints/${endpoint.body.id}/tokens`, {
    body: { name: 'searched' },
  });
  signal = { path: '/api/signal-endpoint/searched', token: issued.body.token };
  const reset = await system.call('POST', '/api/admin/user-admin/reset-password', { body: { id: person.username } });
  resetToken = tokenOfLink(reset.body.resetPasswordUrl);
  const invited = await system.call('POST', '/api/admin/user-admin', {
    body: { username: 'invited', rootRole: 3 },
  });
  inviteToken = tokenOfLink(invited.body.inviteLink);

  const evaluated = await system.call('POST', '/ofrep/v1/evaluate/flags', { token: frontend, body: {} });
  ticket = new URL(evaluated.body.eventStreams[0].endpoint.requestUri, system.url).searchParams.get('ticket')!;

  for (const [what, secret] of Object.entries({
    ...{ 'initial admin token': system.adminToken, 'initial client token': system.clientTokens.development },
    ...{ 'client token': client, 'frontend token': frontend, 'signal token': signal.token },
    ...{ 'personal access token': person.token, 'service account token': robot.token, 'viewer token': viewer.token },
    ...{ 'session cookie': person.cookie, 'reset token': resetToken, 'invite token': inviteToken },
    ...{ password: person.password, 'new password': nextPassword, "first admin's password": system.adminPassword },
    ...{ 'webhook url': webhook.secret, 'webhook authorization': webhook.authorization },
    ...{ 'webhook header': webhook.header, ticket },
  })) {
    needles.set(what, secretPart(secret));
  }
  needles.set('encryption key of accounts', encryptionKey.toString('base64').slice(0, -1));
});

afterAll(async () => {
  await system?.stop();
  await receiver?.close();
  rmSync(folder, { recursive: true, force: true });
});

const bearers = (): [string, string][] => [
  ['initial admin token', system.adminToken],
  ['personal access token', person.token],
  ['service account token', robot.token],
];
const byCookie = () => ({ token: null, headers: { cookie: person.cookie } });

describe('sent', () => {
  test('with success', async () => {
    for (const [, token] of bearers()) expect((await call('GET', '/api/admin/addons', { token })).status).toBe(200);
    for (const token of [client, system.clientTokens.development]) {
      expect((await call('GET', '/api/client/features', { token: `Bearer ${token}` })).status).toBe(200);
    }
    const byCopying = { url: copyingUrl };
    expect((await call('GET', '/api/client/features', { ...byCopying, token: client })).status).toBe(200);
    expect((await call('GET', '/api/frontend', { ...byCopying, token: frontend })).status).toBe(200);
    expect((await call('GET', '/api/admin/user', byCookie())).status).toBe(200);
    expect((await call('POST', signal.path, { token: `Bearer ${signal.token}`, body: { cpu: 1 } })).status).toBe(200);
    expect((await call('POST', '/api/admin/addons', { body: webhookBody() })).status).toBe(201);
    const feature = { name: 'searched' };
    expect((await call('POST', '/api/admin/projects/default/features', { ...byCookie(), body: feature })).status).toBe(
      201,
    );
    await system.processAll();
    await eventually(() => expect(receiver.received).toHaveLength(1));
    expect(receiver.received[0]).toMatchObject({ headers: { authorization: `Bearer ${webhook.authorization}` } });
    const validated = await system.call('POST', '/edge/validate', {
      token: null,
      body: { tokens: [client, frontend, person.token, system.adminToken, 'nobody-has-this'] },
    });
    expect(validated.body.tokens).toHaveLength(2);
    for (const path of [
      ...['/api/admin/addons', '/api/admin/service-account', '/api/admin/user-admin', '/api/admin/user/tokens'],
    ]) {
      expect((await call('GET', path, byCookie())).status).toBe(200);
    }
    // Who may read SDK tokens sees their secrets, and no others do.
    const tokens = await system.call('GET', '/api/admin/api-tokens', byCookie());
    expect(tokens.text).toContain(client);
    expect(tokens.text).not.toContain(system.adminToken);
    expect(tokens.headers.get('cache-control')).toBe('no-store');
    expect((await call('GET', '/api/admin/api-tokens', { token: viewer.token })).status).toBe(403);
  });

  test('as a ticket, which is valid or not', async () => {
    const path = `/ofrep/v1/events?ticket=${ticket}`;
    expect((await call('HEAD', path, { token: null })).status).toBe(200);
    for (const [query, status] of [
      ['x', 401],
      [`&ticket=${ticket}`, 400],
      ['&since=1&since=2', 400],
    ] as const)
      expect((await call('GET', path + query, { token: null })).status).toBe(status);
    expect((await call('GET', path.replace('events', 'nowhere'), { token: null })).status).toBe(404);
  });

  test('with a body that is refused', async () => {
    const malformed = `{"password":"${person.password}","token":"${resetToken}" "x"`;
    const requests: [string, string, unknown][] = [
      ['POST', '/auth/simple/login', { username: 5, password: person.password }],
      ['POST', '/auth/simple/login', { username: person.username, password: [person.password] }],
      ['POST', '/auth/simple/login', malformed],
      ['POST', '/auth/reset/password', { token: resetToken, password: { is: nextPassword } }],
      ['POST', '/auth/reset/password', { token: [resetToken, inviteToken], password: nextPassword }],
      ['POST', '/auth/reset/password', { token: resetToken, password: resetToken.repeat(100) }],
      ['POST', '/auth/reset/validate-password', { password: [nextPassword] }],
      ['POST', '/edge/validate', { tokens: [client, { token: frontend }] }],
      ['POST', '/edge/validate', { tokens: client }],
      ['POST', '/api/admin/user-admin', { username: 7, password: nextPassword, rootRole: 1 }],
      ['POST', '/api/admin/user-admin', { username: 'x', password: [nextPassword], rootRole: 1 }],
      ['POST', '/api/admin/user-admin/1/change-password', { password: [nextPassword] }],
      ['PUT', `/api/admin/api-tokens/${encodeURIComponent(client)}`, { expiresAt: client }],
      ['POST', '/api/admin/addons', { ...webhookBody(), events: 'none' }],
      ['POST', '/api/admin/addons', { ...webhookBody(), parameters: JSON.stringify(webhookBody().parameters) }],
      ['POST', '/api/admin/addons', { ...webhookBody(), parameters: { ...webhookBody().parameters, url: webhook } }],
      ['POST', '/api/admin/addons', { ...webhookBody(), parameters: { url: `no-url ${webhook.secret}` } }],
    ];
    for (const [method, path, body] of requests) {
      for (const credentials of [byCookie(), { token: person.token }]) {
        const answer = await call(method, path, { ...credentials, body });
        expect(answer, `${method} ${path} ${answer.text}`).toMatchObject({ status: 400 });
      }
    }
    const own = { oldPassword: person.password, password: nextPassword, confirmPassword: `${nextPassword}x` };
    expect((await call('POST', '/api/admin/user/change-password', { ...byCookie(), body: own })).status).toBe(400);
    const unstorable = { token: `Bearer ${signal.token}`, body: '{"cpu":' };
    await eventually(async () => expect((await call('POST', signal.path, unstorable)).status).toBe(400));
  });

  test('to routes that refuse them', async () => {
    const requests: [string, string, CallOptions, number][] = [
      ['GET', '/api/client/features', { token: system.adminToken }, 403],
      ['GET', '/api/client/features', { token: person.token }, 403],
      ['GET', '/api/client/features', { token: frontend }, 403],
      ['GET', '/api/admin/addons', { token: client }, 403],
      ['GET', '/api/admin/addons', { token: frontend }, 403],
      ['GET', '/api/admin/addons', { token: signal.token }, 403],
      ['GET', '/api/admin/addons', { token: person.cookie.split('=')[1] ?? '' }, 403],
      ['GET', '/api/admin/addons', { token: `${robot.token}x` }, 401],
      ['POST', signal.path, { token: `Bearer ${robot.token}`, body: {} }, 403],
      ['POST', '/api/admin/addons', { token: viewer.token, body: webhookBody() }, 403],
      ['POST', '/api/admin/user-admin', { token: viewer.token, body: { username: 'x', password: nextPassword } }, 403],
      ['DELETE', `/api/admin/api-tokens/${encodeURIComponent(client)}`, { token: viewer.token }, 403],
      ['POST', '/auth/simple/login', { token: null, body: { username: 'nobody', password: person.password } }, 401],
      ['POST', '/auth/reset/password', { token: null, body: { token: `${resetToken}x`, password: nextPassword } }, 401],
      ['GET', `/auth/reset/validate?token=${resetToken}x`, { token: null }, 401],
      ['GET', `/api/admin/nowhere/${encodeURIComponent(client)}`, { token: null }, 404],
    ];
    for (const [method, path, options, status] of requests) {
      const answer = await call(method, path, options);
      expect(answer, `${method} ${path} ${answer.text}`).toMatchObject({ status });
    }
  });

  test('while a constraint of the database refuses writes', async () => {
    const broken = ['accounts.tokens', 'accounts.users', 'accounts.password_resets', 'integrations.integrations'];
    for (const table of broken) {
      await system.database.rows(`alter table ${table} add constraint broken check (false) not valid`);
    }
    await writesThatFail();
    for (const table of broken) await system.database.rows(`alter table ${table} drop constraint broken`);
  });

  test('while tables are missing', async () => {
    // A gateway that has cached no token yet, so that it requests each.
    const url = await system.addGateway();
    const services = ['accounts', 'integrations', 'signals', 'flags'];
    for (const schema of services) await system.database.rows(`alter schema ${schema} rename to ${schema}_away`);
    try {
      await writesThatFail();
      for (const [, token] of bearers()) {
        expect((await call('GET', '/api/admin/addons', { url, token })).status).toBeGreaterThanOrEqual(500);
      }
      for (const token of [client, frontend]) {
        expect((await call('GET', '/api/client/features', { url, token })).status).toBeGreaterThanOrEqual(500);
      }
      const validated = await call('POST', '/edge/validate', {
        url,
        token: null,
        body: { tokens: [client, frontend] },
      });
      expect(validated.status).toBeGreaterThanOrEqual(500);
      const sent = await call('POST', signal.path, { url, token: `Bearer ${signal.token}`, body: {} });
      expect(sent.status).toBeGreaterThanOrEqual(500);
    } finally {
      for (const schema of services) await system.database.rows(`alter schema ${schema}_away rename to ${schema}`);
    }
  });

  test('for the last time', async () => {
    const chosen = { token: resetToken, password: nextPassword };
    // The answer repeats the token, as in the public product, so it is not searched.
    const invited = await system.call('GET', `/auth/reset/validate?token=${inviteToken}`, { token: null });
    expect(invited.status).toBe(200);
    expect((await call('POST', '/auth/reset/password', { token: null, body: chosen })).status).toBe(200);
    needles.set('second session cookie', secretPart(await logIn(system, person.username, nextPassword)));
    const path = `/api/admin/api-tokens/${encodeURIComponent(client)}`;
    expect((await call('PUT', path, { body: { expiresAt: never } })).status).toBe(200);
    expect((await call('DELETE', path)).status).toBe(200);
  });
});

/** Sends writes of every kind with a secret, while the database refuses all of them. */
async function writesThatFail(): Promise<void> {
  const admin = { token: system.adminToken };
  const requests: [string, string, CallOptions][] = [
    ['POST', '/auth/simple/login', { token: null, body: { username: person.username, password: person.password } }],
    ['POST', '/api/admin/user-admin', { ...admin, body: { username: 'y', rootRole: 3, password: nextPassword } }],
    ['POST', '/api/admin/user-admin/reset-password', { ...admin, body: { id: 'invited' } }],
    ['POST', '/auth/reset/password', { token: null, body: { token: resetToken, password: nextPassword } }],
    ['PUT', `/api/admin/api-tokens/${encodeURIComponent(client)}`, { ...admin, body: { expiresAt: never } }],
    ['POST', '/api/admin/addons', { ...admin, body: webhookBody() }],
  ];
  for (const [method, path, options] of requests) {
    const answer = await call(method, path, options);
    expect(answer.status, `${method} ${path} ${answer.text}`).toBeGreaterThanOrEqual(500);
  }
}

describe('afterwards', () => {
  const hashes = async () =>
    new Map(
      (
        await system.database.rows<{ hash: string }>(
          'select hash from accounts.tokens union all select password_hash from accounts.users where password_hash is not null',
        )
      ).map(({ hash }, i) => [`hash ${i}`, hash]),
    );

  beforeAll(() => system.processAll());

  test('no log line contains a secret or its hash', async () => {
    expect(logged.length).toBeGreaterThan(100);
    expect(find(logged, new Map([...needles, ...(await hashes())]))).toEqual([]);
  });

  test('no answer contains a secret or its hash', async () => {
    expect(answers.length).toBeGreaterThan(60);
    // Listings of integrations show the headers, since they are not sensitive.
    const hidden = [...needles].filter(([what]) => what !== 'webhook header');
    expect(find(answers, new Map([...hidden, ...(await hashes())]))).toEqual([]);
  });

  test('no message of any stream contains a secret or its hash', async () => {
    const names = await namesOfStreams(system.natsUrl, system.prefix);
    for (const stream of ['EVENTS', 'SIGNALS'] as const) {
      expect(names).toContain(`${system.prefix}_${stream}`);
      expect((await system.messages(stream)).length).toBeGreaterThan(0);
    }
    const messages = (await Promise.all(names.map((name) => readWholeStream(system.natsUrl, name)))).flat();
    const texts = messages.map(({ subject, headers, data }) => `${subject} ${headers} ${data}`);
    expect(find(texts, new Map([...needles, ...(await hashes())]))).toEqual([]);
  });

  test('the copy on the disk of a gateway has selectors and hashes of SDK tokens, and no secret', async () => {
    const texts = () => readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    // A token that was not used when the copy was written is in the next one.
    await eventually(() => expect(texts().join('')).toContain(selectorOf(frontend)));
    expect(find(texts(), needles)).toEqual([]);
  });

  test('no metric contains a secret', async () => {
    const text = await scrape();
    expect(text).toContain('yardarm_http_request_seconds');
    expect(find([text], needles)).toEqual([]);
  });

  test('no table contains a secret', async () => {
    const tables = await system.database.rows<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.length).toBeGreaterThan(20);
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await system.database.rows<{ row: string }>(`select t::text as row from ${name} as t`);
      found.push(
        ...find(
          rows.map(({ row }) => `${name}: ${row}`),
          needles,
        ),
      );
    }
    expect(found).toEqual([]);
  });

  test('the secrets of the SDK tokens that exist are stored encrypted, and their list decrypts them', async () => {
    const { body } = await system.call('GET', '/api/admin/api-tokens');
    const listed = body.tokens.map(({ secret }: { secret: string }) => secret);
    expect(listed).toEqual(expect.arrayContaining([frontend, ...Object.values(system.clientTokens)]));
    const [{ count }] = (await system.database.rows<{ count: number }>(
      'select count(*)::integer as count from accounts.tokens where sealed_secret is not null',
    )) as [{ count: number }];
    expect(count).toBe(body.tokens.filter(({ secure }: { secure: boolean }) => !secure).length);
    expect(count).toBeGreaterThan(2);
  });

  test('the files of the database contain no secret, not even of what was deleted', async ({ skip }) => {
    const files = await filesOf(system.database);
    if (files === null) return skip('The files of the server cannot be read.');
    const having = (text: string) => files.filter(({ bytes }) => bytes.includes(text)).map(({ name }) => name);
    expect(having(selectorOf(client))).not.toEqual([]);
    expect([...needles].flatMap(([what, needle]) => having(needle).map((name) => `${what} in ${name}`))).toEqual([]);
  });
});

describe('the search finds', () => {
  const token = 'user:yd_AAAAAAAAAAAAAAAAAAAAAA_sEcReTsEcReTsEcReTsEcReTsEcReTsEcReTsEcReTsEabcdef';

  test.each([
    ['a whole token', `{"msg":"asked","token":"${token}"}`],
    ['the secret part of a token', `{"msg":"sEcReTsEcReTsEcReTsEcReTsEcReTsEcReTsEcReTsE"}`],
    ['a token in an address', `GET /x?token=${encodeURIComponent(token)}`],
  ])('%s', (_title, line) => {
    expect(find(['{"msg":"harmless"}', line], new Map([['token', secretPart(token)]]))).toEqual([`token in ${line}`]);
  });

  test('no selector, which is no secret', () => {
    expect(find(['yd_AAAAAAAAAAAAAAAAAAAAAA'], new Map([['token', secretPart(token)]]))).toEqual([]);
  });
});

function find(texts: readonly string[], secrets: ReadonlyMap<string, string>): string[] {
  return [...secrets].flatMap(([what, needle]) =>
    texts.filter((text) => text.includes(needle)).map((text) => `${what} in ${text.slice(0, 500)}`),
  );
}

/** The random part of a secret: after a token's selector and without its checksum, else after its scope. */
function secretPart(secret: string): string {
  const own = /yd_[0-9A-Za-z]{22}_([0-9A-Za-z]{43})/.exec(secret)?.[1];
  const part = own ?? secret.split(/[.:=!]/).at(-1) ?? '';
  if (part.length < 16) throw new Error('The secret is too short to be distinguished from other text.');
  return part;
}

/** What identifies a token that this system made. It is no secret. */
function selectorOf(secret: string): string {
  return /yd_([0-9A-Za-z]{22})_/.exec(secret)![1]!;
}

function tokenOfLink(link: string): string {
  const token = new URL(link).searchParams.get('token');
  if (token === null) throw new Error(`No token in ${link}`);
  return token;
}
