// `npm run kubernetes-secrets` makes secrets that the services accept, and never changes a file that exists.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { settings as accounts } from '@yardarm/accounts/config';
import { settings as integrations } from '@yardarm/integrations/config';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseObjects } from './objects.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-kubernetes-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = () =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, 'secrets.js'), folder], { encoding: 'utf8' });
const file = () => path.join(folder, 'secrets.yaml');
const written = () =>
  Object.fromEntries(
    parseObjects(readFileSync(file(), 'utf8')).map(({ metadata, stringData }) => [metadata.name, stringData!]),
  );

test('each secret is new and in one place, except the passwords that two sides have', () => {
  expect(run().status).toBe(0);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const secrets = written();
  expect(secrets['provision-secrets']!.FLAGS_DATABASE_URL).toBe(secrets['flags-secrets']!.DATABASE_URL);
  expect(secrets['provision-secrets']!.FLAGS_OWNER_DATABASE_URL).toBe(secrets['flags-owner']!.FLAGS_OWNER_DATABASE_URL);
  expect(new URL(secrets['provision-secrets']!.DATABASE_URL!).password).toBe(
    secrets['postgres-secrets']!.POSTGRES_PASSWORD,
  );
  expect(secrets['nats-users']!['passwords.conf']).toContain(
    `FLAGS_NATS_PASSWORD: "${new URL(secrets['flags-secrets']!.NATS_URL!).password}"\n`,
  );
  const urls = Object.values(secrets['provision-secrets']!).map((url) => new URL(url));
  expect(urls.map(({ username }) => username).sort()).toEqual([
    'yardarm',
    ...['accounts', 'events', 'flags', 'integrations', 'signals'].flatMap((service) => [
      `yardarm_${service}`,
      `yardarm_${service}_owner`,
    ]),
  ]);
  expect(new Set(urls.map(({ password }) => password)).size).toBe(urls.length);
});

test('the services accept their secrets', () => {
  run();
  for (const [secret, settings] of Object.entries({ accounts, integrations }))
    for (const [name, value] of Object.entries(written()[`${secret}-secrets`]!))
      expect([name, settings[name as keyof typeof settings].safeParse(value).success]).toEqual([name, true]);
});

test('keeps an existing file, and says so', () => {
  run();
  const before = readFileSync(file(), 'utf8');
  const { status, stdout } = run();
  expect([status, stdout]).toEqual([
    0,
    `${file()} exists and was not changed: its secrets are those of the database.\n`,
  ]);
  expect(readFileSync(file(), 'utf8')).toBe(before);
});

test('refuses a file that lacks a key or was cut', () => {
  run();
  const whole = readFileSync(file(), 'utf8');
  writeFileSync(file(), whole.replace(/^ {2}ACCOUNTS_ENCRYPTION_KEY: .*\n/m, ''));
  const { status, stderr } = run();
  expect([status, stderr]).toEqual([
    1,
    `${file()} exists and was not changed, but it has no ACCOUNTS_ENCRYPTION_KEY of accounts-secrets: ` +
      'pods that read them would not start. Add them, or delete the file if there is no database yet, and run this again.\n',
  ]);
  writeFileSync(file(), whole.replace('FLAGS_NATS_PASSWORD_2: ', 'OTHER: '));
  expect(run().stderr).toContain('it has no FLAGS_NATS_PASSWORD_2: pods');
  writeFileSync(file(), whole.slice(0, whole.length / 2));
  expect(run().status).toBe(1);
  expect(run().stderr).toContain('NATS_URL of gateway-secrets');
});
