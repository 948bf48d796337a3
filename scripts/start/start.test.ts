import path from 'node:path';
import { expect, test } from 'vitest';
import { announcement, publicAddress } from './announcement.ts';
import { restartDelayMs } from './backoff.ts';
import type { Credentials } from './credentials.ts';
import { projectFolder, readOptions } from './options.ts';
import { shortForm } from './service-output.ts';
import { loginVariables, serviceEnvironment } from './services.ts';

const databasePasswords = { flags: 'f', events: 'e', integrations: 'i', signals: 's', accounts: 'a' };
const credentials: Credentials = {
  adminToken: '*:*.admin',
  sdkToken: '*:development.sdk',
  shown: [],
  databasePasswords,
  integrationsEncryptionKey: 'made',
};
const addresses = {
  databaseUrl: 'postgres://owner:secret@db:5/yardarm?sslmode=require',
  natsUrl: 'nats://n:1',
  port: 4242,
};

test('needs no setting, and takes an empty one for none', () => {
  const defaults = readOptions({});
  expect(defaults).toMatchObject({
    PORT: 4242,
    HOST: '127.0.0.1',
    dataDir: path.join(projectFolder, '.yardarm'),
    LOG_LEVEL: 'info',
  });
  expect(readOptions({ PORT: '', DATABASE_URL: '', INIT_ADMIN_API_TOKENS: '' })).toEqual(defaults);
});

test('tells every fault at once, by name and without the value, which may be a secret', () => {
  const read = () =>
    readOptions({
      PORT: '70000',
      HOST: 'a/b',
      DATABASE_URL: 'mysql://me:hush@x/y',
      NATS_URL: 'nats://ok,hush',
      LOG_LEVEL: 'loud',
    });
  for (const name of ['PORT', 'HOST', 'DATABASE_URL', 'NATS_URL', 'LOG_LEVEL']) expect(read).toThrow(`${name}: `);
  expect(read).not.toThrow('hush');
});

test('gives each service its own login and nothing of the others or of the owner', () => {
  const options = readOptions({
    SECRET_OF_THE_SHELL: 'x',
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy',
    INTEGRATIONS_ALLOWED_PRIVATE: '::1',
  });
  const flags = serviceEnvironment('flags', options, credentials, addresses);
  expect(flags).toEqual({
    PATH: '/bin',
    NATS_URL: 'nats://n:1',
    LOG_LEVEL: 'info',
    HEALTH_HOST: '127.0.0.1',
    DATABASE_URL: 'postgres://yardarm_flags:f@db:5/yardarm?sslmode=require',
  });
  const gateway = serviceEnvironment('gateway', options, credentials, addresses);
  expect(gateway.DATABASE_URL).toBeUndefined();
  expect(gateway).toMatchObject({
    PORT: '4242',
    HOST: '127.0.0.1',
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

test('gives accounts the tokens that were made here, unless the operator gives others', () => {
  const made = serviceEnvironment('accounts', readOptions({}), credentials, addresses);
  expect(made).toMatchObject({ INIT_ADMIN_API_TOKENS: '*:*.admin', INIT_CLIENT_API_TOKENS: '*:development.sdk' });
  const given = serviceEnvironment(
    'accounts',
    readOptions({ INIT_ADMIN_API_TOKENS: '*:*.mine,*:*.yours' }),
    credentials,
    addresses,
  );
  expect(given.INIT_ADMIN_API_TOKENS).toBe('*:*.mine,*:*.yours');
});

test('shows tokens that it made once, given ones never, and says "ready" in the last line alone', () => {
  const first = announcement(readOptions({}), credentials, 'http://here');
  expect(first.join('\n')).toContain('*:*.admin');
  expect(first.filter((line) => line.includes('ready'))).toEqual(['Yardarm is ready on http://here']);
  const later = announcement(
    readOptions({}),
    { ...credentials, shown: ['adminToken', 'sdkToken'] },
    'http://here',
  ).join('\n');
  expect(later).not.toMatch(/\.admin|\.sdk$/m);
  expect(later).toContain('credentials.json');
  const given = announcement(readOptions({ INIT_ADMIN_API_TOKENS: '*:*.mine' }), credentials, 'http://here').join('\n');
  expect(given).toContain('from INIT_ADMIN_API_TOKENS');
  expect(given).not.toContain('mine');
});

test('names an address that can be opened', () => {
  expect(publicAddress('0.0.0.0', 1)).toBe('http://127.0.0.1:1');
  expect(publicAddress('::', 1)).toBe('http://[::1]:1');
  expect(publicAddress('10.0.0.7', 1)).toBe('http://10.0.0.7:1');
});

test('shows warnings and errors of a service in short and nothing of the rest', () => {
  expect(shortForm('flags', '{"level":30,"msg":"started"}')).toBeUndefined();
  expect(shortForm('flags', '{"level":40,"msg":"slow"}')).toBe('flags warning: slow');
  expect(shortForm('flags', '{"level":50,"msg":"failed","err":{"message":"why"}}')).toBe('flags error: failed: why');
  expect(shortForm('flags', '(node:1) Warning: something')).toBeUndefined();
});

test('waits 0.2 s before the first restart, twice as long each time, 10 s at most', () => {
  expect([1, 2, 3, 6, 7, 100].map(restartDelayMs)).toEqual([200, 400, 800, 6_400, 10_000, 10_000]);
});

test('gives the key of integrations to integrations alone, the operator’s before the one that was made here', () => {
  const given = readOptions({ INTEGRATIONS_ENCRYPTION_KEY: 'given', INTEGRATIONS_ENCRYPTION_OTHER_KEYS: 'older' });
  expect(serviceEnvironment('integrations', given, credentials, addresses)).toMatchObject({
    INTEGRATIONS_ENCRYPTION_KEY: 'given',
    INTEGRATIONS_ENCRYPTION_OTHER_KEYS: 'older',
  });
  expect(JSON.stringify(serviceEnvironment('flags', given, credentials, addresses))).not.toMatch(/given|older|made/);
});
