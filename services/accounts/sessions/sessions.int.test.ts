import { readToken } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import { login, logout } from '@yardarm/shared/contracts/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { logins } from '../metrics.ts';
import { type AccountsRig, startAccountsRig } from '../testing/accounts-rig.ts';
import { goodPassword, insertPerson } from '../testing/people.ts';

let rig: AccountsRig;
let ann: number;

beforeAll(async () => {
  rig = await startAccountsRig({ SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000' });
  ann = await insertPerson(rig, { username: 'Ann', email: 'Ann@Example.com', rootRole: 2 });
  await insertPerson(rig, { username: 'invited', password: null });
});

afterAll(() => rig?.stop());

beforeEach(() => rig.rows('truncate accounts.rate_limits'));

const logIn = (username: string, password = goodPassword, address = '203.0.113.1') =>
  rig.ask(login, { username, password, address }, null);
const asPerson = (id: number): Actor => ({ kind: 'user', id, username: 'x', grants: [] });
const userRow = async (id: number) =>
  (
    await rig.rows<{ login_attempts: number; seen_at: Date | null }>('select * from accounts.users where id = $1', [id])
  )[0];
describe('a login', () => {
  test.each(['Ann', 'ann', 'ANN@example.COM'])('works with the name %s', async (name) => {
    const { user, session } = await logIn(name);
    expect(user).toMatchObject({ id: ann, username: 'Ann', email: 'Ann@Example.com', rootRole: 2, loginAttempts: 0 });
    expect(session.token).toMatch(/^session_yd_/);
    const token = await rig.resolved(session.token);
    expect(token).toMatchObject({ kind: 'session', actor: { kind: 'user', id: ann, username: 'Ann' } });
    // The default is two days.
    expect(Date.parse(session.expiresAt) - Date.now()).toBeGreaterThan(47.9 * 3_600_000);
    expect(Date.parse(session.expiresAt) - Date.now()).toBeLessThan(48.1 * 3_600_000);
  });

  test('is counted by its outcome', async () => {
    logins.reset();
    await logIn('ann');
    const failed = Array.from({ length: 6 }, () => logIn('ann', 'wr0ng!Password', '203.0.113.77').catch(() => {}));
    await Promise.all(failed);
    const values = (await logins.get()).values.map(({ labels, value }) => [labels.outcome, value]);
    expect(Object.fromEntries(values)).toEqual({ success: 1, mismatch: 5, limited: 1 });
  });

  test('stores no secret, only its hash', async () => {
    const { session } = await logIn('ann');
    const rows = await rig.rows(`select t::text from accounts.tokens t`);
    expect(JSON.stringify(rows)).not.toContain(session.token.slice(-49));
    expect(rig.logged.join('')).not.toContain(session.token.slice(-49));
    expect(rig.logged.join('')).not.toContain(goodPassword);
  });

  test.each([
    ['a wrong password', 'ann', 'wr0ng!Password'],
    ['an empty password', 'ann', ''],
    ['an unknown name', 'nobody', goodPassword],
    ['no name', '', goodPassword],
    ['a user without a password', 'invited', ''],
  ])('with %s is refused with the same error', async (_title, name, password) => {
    await expect(logIn(name, password)).rejects.toMatchObject({
      code: 'password-mismatch',
      message: expect.stringMatching(/^The combination of password and username you provided is invalid/),
    });
  });

  test('of a service account or a deleted user is refused', async () => {
    const gone = await insertPerson(rig, { username: 'gone' });
    await rig.rows('update accounts.users set deleted_at = now() where id = $1', [gone]);
    await expect(logIn('gone')).rejects.toMatchObject({ code: 'password-mismatch' });
    await rig.rows(
      `insert into accounts.users (kind, username, name, root_role) values ('service-account', 'robot', 'R', 3)`,
    );
    await expect(logIn('robot')).rejects.toMatchObject({ code: 'password-mismatch' });
  });

  test('that fails is counted, also when many fail at once, and one that succeeds resets the count and sets seenAt', async () => {
    const bob = await insertPerson(rig, { username: 'bob' });
    await Promise.allSettled(Array.from({ length: 5 }, () => logIn('bob', 'wrong')));
    expect(await userRow(bob)).toMatchObject({ login_attempts: 5, seen_at: null });
    const { user } = await logIn('bob', goodPassword, '203.0.113.2');
    expect(user.loginAttempts).toBe(0);
    expect(user.seenAt).not.toBeNull();
    expect(await userRow(bob)).toMatchObject({ login_attempts: 0, seen_at: new Date(user.seenAt ?? 0) });
  });
});

describe('a session', () => {
  test('ends with a logout of its user, with a hint to every gateway', async () => {
    const { session } = await logIn('ann');
    const { id, selector } = (await rig.resolved(session.token))!;
    await rig.ask(logout, { sessionId: id }, asPerson(ann));
    expect(await rig.resolved(session.token)).toBeNull();
    await expect.poll(() => rig.hints.tokenChanged).toContain(selector);
    // A second logout succeeds too.
    await rig.ask(logout, { sessionId: id }, asPerson(ann));
  });

  test('does not end with another user’s logout, and a logout deletes no other token', async () => {
    const { session } = await logIn('ann');
    const { id } = (await rig.resolved(session.token))!;
    await rig.ask(logout, { sessionId: id }, asPerson(ann + 1_000));
    await rig.ask(logout, { sessionId: id });
    expect(await rig.resolved(session.token)).not.toBeNull();

    const [pat] = await rig.rows<{ id: number }>(
      `insert into accounts.tokens (kind, name, selector, hash, user_id, expires_at)
        values ('personal', 'mine', 'sel', 'h', $1, 'infinity') returning id`,
      [ann],
    );
    await rig.ask(logout, { sessionId: pat!.id }, asPerson(ann));
    expect(await rig.rows(`select id from accounts.tokens where selector = 'sel'`)).toHaveLength(1);
    await rig.rows(`delete from accounts.tokens where selector = 'sel'`);
  });

  test('that has expired is swept, and others stay', async () => {
    const [over, good] = [await logIn('ann'), await logIn('ann')].map(({ session }) => session.token);
    const { selector } = readToken(over!)!;
    await rig.rows(`update accounts.tokens set expires_at = now() - interval '1 s' where selector = $1`, [selector]);
    await rig.service.processAll();
    expect(await rig.rows('select id from accounts.tokens where selector = $1', [selector])).toEqual([]);
    expect(await rig.resolved(good!)).not.toBeNull();
  });

  test('lasts for the configured time', async () => {
    const service = await rig.start({ SESSION_TTL_HOURS: '1', SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000' });
    await rig.service.drain();
    try {
      const { session } = await logIn('ann');
      expect(Date.parse(session.expiresAt) - Date.now()).toBeLessThan(1.1 * 3_600_000);
    } finally {
      await service.drain();
      await service.stop();
    }
  });
});
