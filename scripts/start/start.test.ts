import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { publicAddress } from './addresses.ts';
import { announcement } from './announcement.ts';
import { restartDelayMs } from './backoff.ts';
import { type Credentials, choosePrefix, openCredentials } from './credentials.ts';
import type { FirstAdmin } from './first-admin.ts';
import { projectFolder, readOptions } from './options.ts';
import { shortForm } from './service-output.ts';
import { loginVariables, type ServiceName, serviceEnvironment, serviceNames } from './services.ts';

const databasePasswords = { flags: 'f', events: 'e', integrations: 'i', signals: 's', accounts: 'a' };
const credentials: Credentials = {
  adminToken: '*:*.admin',
  sdkToken: '*:development.sdk',
  frontendToken: '*:development.web',
  shown: [],
  databasePasswords,
  integrationsEncryptionKey: 'made',
  accountsEncryptionKey: 'made',
  prefix: 'mine',
};
const addresses = {
  databaseUrl: 'postgres://owner:secret@db:5/yardarm?sslmode=require',
  natsUrls: Object.fromEntries(serviceNames.map((name) => [name, `nats://${name}:x@n:1`])) as Record<
    ServiceName,
    string
  >,
  port: 4242,
};

test('needs no setting, and reads an empty one as absent', () => {
  const defaults = readOptions({});
  expect(defaults).toMatchObject({
    PORT: 4242,
    HOST: '127.0.0.1',
    dataDir: path.join(projectFolder, '.yardarm'),
    LOG_LEVEL: 'info',
  });
  expect(readOptions({ PORT: '', DATABASE_URL: '', INIT_ADMIN_API_TOKENS: '' })).toEqual(defaults);
});

test('reports every problem at once, by name and without the value, which may be a secret', () => {
  const read = () =>
    readOptions({
      PORT: '70000',
      HOST: 'a/b',
      DATABASE_URL: 'mysql://me:hush@x/y',
      NATS_URL: 'nats://ok,http://hush',
      LOG_LEVEL: 'loud',
    });
  for (const name of ['PORT', 'HOST', 'DATABASE_URL', 'NATS_URL', 'LOG_LEVEL']) expect(read).toThrow(`${name}: `);
  expect(read).not.toThrow('hush');
});

test('checks settings that it passes on as the services do, and reports all problems at once without a secret', () => {
  const invalid = {
    INIT_ADMIN_API_TOKENS: '*:*.fine,hunter2',
    INIT_CLIENT_API_TOKENS: 'hunter2',
    INIT_FRONTEND_API_TOKENS: 'hunter2',
    UNLEASH_DEFAULT_ADMIN_PASSWORD: 'hunter2',
    INTEGRATIONS_ALLOWED_PRIVATE: '10.0.0.0/99',
    PAT_LIMIT: 'ten',
    REQUEST_TIMEOUT_MS: '1',
    PORT: '70000',
  };
  const read = () => readOptions(invalid);
  for (const name of Object.keys(invalid)) expect(read).toThrow(`${name}: `);
  expect(read).toThrow('INIT_ADMIN_API_TOKENS: entry 2 should have the shape');
  expect(read).not.toThrow('hunter2');
});

test('passes the settings of traces on, except for one name that all services would have', () => {
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_SERVICE_NAME: 'all',
  };
  const { OTEL_SERVICE_NAME: _name, ...passedOn } = settings;
  expect(readOptions(settings).passedOn).toEqual(passedOn);
  expect(() => readOptions({ OTEL_TRACES_SAMPLER: 'always' })).toThrow('OTEL_TRACES_SAMPLER: should be one of');
});

test('gives each service only its own login', () => {
  const options = readOptions({
    SECRET_OF_THE_SHELL: 'x',
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy',
    INTEGRATIONS_ALLOWED_PRIVATE: '::1',
    NODE_OPTIONS: '--enable-source-maps',
  });
  const flags = serviceEnvironment('flags', options, credentials, addresses);
  expect(flags).toEqual({
    PATH: '/bin',
    // What the operator says counts, since it comes last.
    NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=1024 --enable-source-maps',
    NATS_URL: 'nats://flags:x@n:1',
    YARDARM_PREFIX: 'mine',
    LOG_LEVEL: 'info',
    HEALTH_HOST: '127.0.0.1',
    DATABASE_URL: 'postgres://yardarm_flags:f@db:5/yardarm?sslmode=require',
  });
  const gateway = serviceEnvironment('gateway', options, credentials, { ...addresses, consoleDir: '/built' });
  expect(gateway.DATABASE_URL).toBeUndefined();
  expect(gateway).toMatchObject({
    PORT: '4242',
    HOST: '127.0.0.1',
    ALLOWED_HOSTS: 'localhost',
    CONSOLE_DIR: '/built',
    YARDARM_DATA_DIR: path.join(options.dataDir, 'gateway'),
  });
  const integrations = serviceEnvironment('integrations', options, credentials, addresses);
  expect(integrations).toMatchObject({
    HTTPS_PROXY: 'http://proxy',
    INTEGRATIONS_ALLOWED_PRIVATE: '::1',
    INTEGRATIONS_ENCRYPTION_KEY: 'made',
  });
  expect(loginVariables(addresses.databaseUrl, credentials).SIGNALS_DATABASE_URL).toContain('yardarm_signals:s@db:5');
});

test('gives every service HEALTH_HOST', () => {
  const options = readOptions({ HEALTH_HOST: '0.0.0.0' });
  for (const name of serviceNames)
    expect(serviceEnvironment(name, options, credentials, addresses).HEALTH_HOST).toBe('0.0.0.0');
  expect(() => readOptions({ HEALTH_PORT: '65531' })).toThrow('HEALTH_PORT: should be a whole number from 0 to 65530');
});

test('a new data folder on a NATS of others derives its prefix from the system id, and keeps it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-prefix-'));
  const find = async () => '0badcafe-1111-4222-8333-444455556666';
  const open = (given: Record<string, string>, name: string) => {
    mkdirSync(path.join(folder, name), { recursive: true });
    return readOptions({ YARDARM_DATA_DIR: path.join(folder, name), ...given });
  };
  const prefixOf = async (given: Record<string, string>, name: string) => {
    const options = open(given, name);
    return (await choosePrefix(options, openCredentials(options), find)).prefix;
  };
  const nats = { NATS_URL: 'nats://n:1' };
  expect(await prefixOf(nats, 'new')).toBe('yardarm-0badcafe');
  expect(await prefixOf({}, 'new')).toBe('yardarm-0badcafe');
  expect(await prefixOf({}, 'own')).toBe('');
  expect(await prefixOf(nats, 'own')).toBe('');
  expect(await prefixOf({ ...nats, YARDARM_PREFIX: 'given' }, 'given')).toBe('given');
  expect(await prefixOf(nats, 'given')).toBe('given');
  // A first start that failed before the id was known.
  openCredentials(open(nats, 'failed'));
  expect(await prefixOf(nats, 'failed')).toBe('yardarm-0badcafe');
  // The file of an earlier version names no prefix.
  const options = open(nats, 'earlier');
  const { prefix: _, ...earlier } = credentials;
  writeFileSync(path.join(options.dataDir, 'credentials.json'), JSON.stringify(earlier));
  expect(await prefixOf(nats, 'earlier')).toBe('');
  rmSync(folder, { recursive: true });
});

test('gives accounts the generated tokens, unless the operator configures others', () => {
  const made = serviceEnvironment('accounts', readOptions({}), credentials, addresses);
  expect(made).toMatchObject({
    INIT_ADMIN_API_TOKENS: '*:*.admin',
    INIT_CLIENT_API_TOKENS: '*:development.sdk',
    INIT_FRONTEND_API_TOKENS: '*:development.web',
  });
  const given = serviceEnvironment(
    'accounts',
    readOptions({ INIT_ADMIN_API_TOKENS: '*:*.mine,*:*.yours', INIT_FRONTEND_API_TOKENS: '*:production.mine' }),
    credentials,
    addresses,
  );
  expect(given).toMatchObject({
    INIT_ADMIN_API_TOKENS: '*:*.mine,*:*.yours',
    INIT_CLIENT_API_TOKENS: '*:development.sdk',
    INIT_FRONTEND_API_TOKENS: '*:production.mine',
  });
});

test('prints generated tokens once, configured ones never, and "ready" only in the last line', () => {
  const first = announcement(readOptions({}), credentials, 'http://here', undefined);
  for (const token of ['*:*.admin', '*:development.sdk', '*:development.web'])
    expect(first.join('\n')).toContain(token);
  expect(first.filter((line) => line.includes('ready'))).toEqual(['Yardarm is ready on http://here']);
  const later = announcement(
    readOptions({}),
    { ...credentials, shown: ['adminToken', 'sdkToken', 'frontendToken'] },
    'http://here',
    undefined,
  ).join('\n');
  expect(later).not.toMatch(/\.admin|\.sdk$|\.web/m);
  expect(later).toContain('credentials.json');
  const given = announcement(
    readOptions({ INIT_ADMIN_API_TOKENS: '*:*.mine', INIT_FRONTEND_API_TOKENS: '*:production.mine' }),
    credentials,
    'http://here',
    undefined,
  ).join('\n');
  for (const setting of ['INIT_ADMIN_API_TOKENS', 'INIT_FRONTEND_API_TOKENS'])
    expect(given).toContain(`from ${setting}`);
  expect(given).not.toContain('mine');
});

const login = (given: Record<string, string>, shown: Credentials['shown'], firstAdmin?: FirstAdmin) =>
  announcement(readOptions(given), { ...credentials, shown }, 'http://here', firstAdmin).find((line) =>
    line.includes('login'),
  );

test('prints a generated password of the first admin once, and later the file that has it', () => {
  const firstAdmin = { username: 'root', password: 'abcd-efgh' };
  expect(login({}, [], firstAdmin)).toContain('root with the password abcd-efgh');
  const later = login({}, ['firstAdmin'], firstAdmin);
  expect(later).toMatch(/root; .*first-admin\.json has the first password, which is good until another was chosen/);
  expect(later).not.toContain('abcd');
  expect(login({}, [])).toBeUndefined();
});

test('prints the configured password of the first admin as valid only when that admin is made', () => {
  const given = { UNLEASH_DEFAULT_ADMIN_PASSWORD: 'Giv3n!password' };
  expect(login(given, [])).toMatch(/with the password from UNLEASH_DEFAULT_ADMIN_PASSWORD$/);
  expect(login({ ...given, DATABASE_URL: 'postgres://db/x' }, [])).toContain('unless the database had users already');
  for (const shown of ['firstAdmin', 'adminToken'] as const)
    expect(login(given, [shown])).toMatch(/as before; UNLEASH_DEFAULT_ADMIN_PASSWORD counts when/);
  // Made at an earlier start, with a password of its own.
  const generated = { username: 'root', password: 'abcd-efgh' };
  expect(login(given, [], generated)).toContain('root with the password abcd-efgh');
  expect(login(given, ['firstAdmin'], generated)).toContain('first-admin.json');
});

test('gives the password of the first admin only to accounts', () => {
  const options = readOptions({ UNLEASH_DEFAULT_ADMIN_PASSWORD: 'Giv3n!password' });
  for (const name of serviceNames) {
    const { UNLEASH_DEFAULT_ADMIN_PASSWORD, INITIAL_ADMIN_PASSWORD_FILE } = serviceEnvironment(
      name,
      options,
      credentials,
      addresses,
    );
    expect(UNLEASH_DEFAULT_ADMIN_PASSWORD).toBe(name === 'accounts' ? 'Giv3n!password' : undefined);
    expect(INITIAL_ADMIN_PASSWORD_FILE === undefined).toBe(name !== 'accounts');
  }
});

test('prints an address that can be opened', () => {
  expect(publicAddress('0.0.0.0', 1)).toBe('http://127.0.0.1:1');
  expect(publicAddress('::', 1)).toBe('http://[::1]:1');
  expect(publicAddress('10.0.0.7', 1)).toBe('http://10.0.0.7:1');
});

test('prints only the warnings and errors of a service, in short', () => {
  expect(shortForm('flags', '{"level":30,"msg":"started"}')).toBeUndefined();
  expect(shortForm('flags', '{"level":40,"msg":"slow"}')).toBe('flags warning: slow');
  expect(shortForm('flags', '{"level":50,"msg":"failed","err":{"message":"why"}}')).toBe('flags error: failed: why');
  expect(shortForm('flags', '(node:1) Warning: something')).toBeUndefined();
});

test('waits 0.2 s before the first restart, twice as long each time, 10 s at most', () => {
  expect([1, 2, 3, 6, 7, 100].map(restartDelayMs)).toEqual([200, 400, 800, 6_400, 10_000, 10_000]);
});

test('gives the encryption key only to integrations, the configured one instead of the generated one', () => {
  const [newer, older] = ['given', 'older'].map((text) => Buffer.from(text.padEnd(32)).toString('base64'));
  const given = readOptions({ INTEGRATIONS_ENCRYPTION_KEY: newer, INTEGRATIONS_ENCRYPTION_OTHER_KEYS: older });
  expect(serviceEnvironment('integrations', given, credentials, addresses)).toMatchObject({
    INTEGRATIONS_ENCRYPTION_KEY: newer,
    INTEGRATIONS_ENCRYPTION_OTHER_KEYS: older,
  });
  const others = JSON.stringify(serviceEnvironment('flags', given, credentials, addresses));
  for (const key of [newer, older, 'made']) expect(others).not.toContain(key);
});
