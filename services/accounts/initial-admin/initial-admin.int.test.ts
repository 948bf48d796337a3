import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { login } from '@yardarm/shared/contracts/accounts';
import type { RunningService } from '@yardarm/shared/service';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AccountsRig, startAccountsRig } from '../testing/accounts-rig.ts';

let rig: AccountsRig;
let folder: string;
let started: RunningService[];
let printed: string[];

beforeEach(async () => {
  rig = await startAccountsRig();
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-admin-'));
  started = [];
  printed = [];
});

afterEach(async () => {
  for (const service of started) {
    await service.drain();
    await service.stop();
  }
  await rig.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(settings: Record<string, string> = {}): Promise<RunningService> {
  const service = await rig.start(settings, { printLine: (line) => void printed.push(line) });
  started.push(service);
  await service.processAll();
  return service;
}

const people = () =>
  rig.rows<{ username: string; root_role: number; must_change_password: boolean; password_hash: string }>(
    `select username, root_role, must_change_password, password_hash from accounts.users where kind = 'user'`,
  );
const logIn = (username: string, password: string) =>
  rig.ask(login, { username, password, address: '203.0.113.1' }, null);

test('the first start creates an admin with a generated password, prints it once and shows it nowhere else', async () => {
  expect(await (await start()).health()).toMatchObject({ initialAdmin: null });
  expect(printed).toHaveLength(1);
  const [, username, password] = /"(.+)" with the password "(.+)"/.exec(printed[0] as string) as unknown as string[];
  expect(username).toBe('admin');
  expect(await people()).toMatchObject([{ username: 'admin', root_role: 1, must_change_password: true }]);
  const { user } = await logIn('admin', password as string);
  expect(user).toMatchObject({ username: 'admin', rootRole: 1, mustChangePassword: true });

  const events = await rig.events('user-created');
  expect(events).toMatchObject([
    { createdBy: 'yardarm-system', data: { id: user.id, username: 'admin', rootRole: 1 }, preData: null },
  ]);
  expect(JSON.stringify(events)).not.toContain(password);
  expect(rig.logged.join('')).not.toContain(password);

  await start();
  expect(printed).toHaveLength(1);
  expect(await people()).toHaveLength(1);
});

test('a generated password goes into the configured file, which only its owner can read', async () => {
  const file = path.join(folder, 'admin.json');
  await start({ INITIAL_ADMIN_PASSWORD_FILE: file, UNLEASH_DEFAULT_ADMIN_USERNAME: 'root' });
  expect(printed).toEqual([]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { username, password } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  expect(username).toBe('root');
  expect((await logIn('root', password as string)).user.username).toBe('root');
});

test('a configured password is used as it is, not reported, and need not be changed', async () => {
  const file = path.join(folder, 'admin.json');
  await start({ UNLEASH_DEFAULT_ADMIN_PASSWORD: 'Giv3n!by-operator', INITIAL_ADMIN_PASSWORD_FILE: file });
  expect(printed).toEqual([]);
  expect(existsSync(file)).toBe(false);
  expect((await logIn('admin', 'Giv3n!by-operator')).user.mustChangePassword).toBeUndefined();
  expect(rig.logged.join('')).not.toContain('Giv3n!by-operator');
});

test('a weak configured password fails the start with the name of the setting and not its value', async () => {
  await expect(start({ UNLEASH_DEFAULT_ADMIN_PASSWORD: 'unleash4all' })).rejects.toThrow(
    'UNLEASH_DEFAULT_ADMIN_PASSWORD: The password must contain at least one uppercase letter.',
  );
  await expect(start({ UNLEASH_DEFAULT_ADMIN_PASSWORD: 'unleash4all' })).rejects.not.toThrow('unleash4all');
});

test('of replicas that start at once one creates the admin', async () => {
  await Promise.all(Array.from({ length: 4 }, () => start()));
  expect(await people()).toHaveLength(1);
  expect(await rig.events('user-created')).toHaveLength(1);
  expect(printed).toHaveLength(1);
});

test('no admin is created when a person exists', async () => {
  await rig.rows(`insert into accounts.users (kind, username, root_role) values ('user', 'ann', 3)`);
  await start();
  expect(await people()).toMatchObject([{ username: 'ann' }]);
  expect(printed).toEqual([]);
});

test('a service account of that name does not block the start, and the log says what to do', async () => {
  await rig.rows(
    `insert into accounts.users (kind, username, name, root_role) values ('service-account', 'Admin', 'A', 3)`,
  );
  expect(await (await start()).health()).toMatchObject({ initialAdmin: null });
  expect(await people()).toEqual([]);
  expect(rig.logged.join('')).toContain('set UNLEASH_DEFAULT_ADMIN_USERNAME');
});

test('a password that cannot be reported creates no admin: the step is retried, and /ready shows it', async () => {
  const file = path.join(folder, 'missing', 'admin.json');
  const service = await rig.start({ INITIAL_ADMIN_PASSWORD_FILE: file }, {});
  started.push(service);
  await expect.poll(() => rig.logged.join('')).toContain('could not make the first admin');
  expect(await service.health()).toMatchObject({ initialAdmin: expect.any(String) });
  expect(await people()).toEqual([]);
});
