// Proves that `npm run compose-env` replaces every insecure default of the compose file, and never an existing secret.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { settings as accounts } from '@yardarm/accounts/config';
import { settings as integrations } from '@yardarm/integrations/config';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secretsFor } from './secrets.js';

const root = path.resolve(import.meta.dirname, '../..');
const compose = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-compose-env-'));
  copyFileSync(path.join(root, 'docker-compose.yml'), path.join(folder, 'docker-compose.yml'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = () =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, 'main.js'), folder], { encoding: 'utf8' });
const written = () => parseEnv(readFileSync(path.join(folder, '.env'), 'utf8')) as Record<string, string>;

test('writes every variable of docker-compose.yml with an insecure default, readable by its owner alone', () => {
  expect(run().status).toBe(0);
  const defaults = [...compose.matchAll(/\$\{(\w+):-([^}]+)\}/g)] as unknown as [string, string, string][];
  // The default of the key is base64.
  const insecure = defaults.filter(
    ([, name, value]) => /insecure/.test(value + Buffer.from(value, 'base64')) || /KEY/.test(name),
  );
  const expected = new Set([...insecure.map(([, name]) => name), 'GRAFANA_ADMIN_PASSWORD']);
  expect(Object.keys(written()).sort()).toEqual([...expected].sort());
  for (const [, name, value] of insecure) expect(written()[name]).not.toBe(value);
  expect(new Set(Object.values(written())).size).toBe(Object.keys(written()).length);
  expect(statSync(path.join(folder, '.env')).mode & 0o777).toBe(0o600);
});

test('writes values that the services accept', () => {
  run();
  const values = written();
  for (const [name, value] of Object.entries(values)) {
    const schema = { ...accounts, ...integrations }[name as keyof typeof accounts];
    if (schema) expect(schema.safeParse(value).success).toBe(true);
    else expect(value).toMatch(/^[\w-]{32}$/);
  }
});

test('keeps an existing file, says so, and lets the command after it run', () => {
  run();
  const before = readFileSync(path.join(folder, '.env'), 'utf8');
  const { status, stdout } = run();
  expect([status, stdout]).toEqual([
    0,
    `${folder}/.env exists and was not changed: its secrets are those of the database.\n`,
  ]);
  expect(readFileSync(path.join(folder, '.env'), 'utf8')).toBe(before);
});

test('refuses a file that lacks secrets, and leaves it as it is', () => {
  const file = path.join(folder, '.env');
  writeFileSync(file, 'PORT=4300\n# FLAGS_NATS_PASSWORD=a\nEVENTS_NATS_PASSWORD=\nSIGNALS_NATS_PASSWORD="mine"\n');
  const { status, stdout, stderr } = run();
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`${file} exists and was not changed, but it has no `);
  expect(stderr).toContain('compose would use the published values of docker-compose.yml');
  for (const name of ['POSTGRES_PASSWORD', 'FLAGS_NATS_PASSWORD', 'EVENTS_NATS_PASSWORD'])
    expect(stderr).toContain(name);
  expect(stderr).not.toContain('SIGNALS_NATS_PASSWORD');
  expect(readFileSync(file, 'utf8')).toMatch(/^PORT=4300\n/);
});

test('refuses a file that was cut, also to nothing', () => {
  run();
  const file = path.join(folder, '.env');
  const whole = readFileSync(file, 'utf8');
  for (const length of [0, whole.length / 2]) {
    writeFileSync(file, whole.slice(0, length));
    const { status, stderr } = run();
    expect([length, status]).toEqual([length, 1]);
    expect(stderr).toContain('GRAFANA_ADMIN_PASSWORD');
  }
});

test('leaves nothing else in the folder, also when the file cannot be written', () => {
  run();
  expect(readdirSync(folder).sort()).toEqual(['.env', 'docker-compose.yml']);
  rmSync(path.join(folder, '.env'));
  symlinkSync(path.join(folder, 'none/.env'), path.join(folder, '.env.new'));
  const { status, stderr } = run();
  expect([status, stderr]).toEqual([1, `${folder}/.env cannot be written (ENOENT).\n`]);
  expect(readdirSync(folder)).toEqual(['docker-compose.yml']);
});

test('a default secret without a generator is an error', () => {
  expect(() => secretsFor(['x: $', '{COOKIE_SECRET:-insecure}'].join(''))).toThrow('no generator');
});
