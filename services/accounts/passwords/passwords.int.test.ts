import { readToken } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import {
  changeOwnPassword,
  createPersonalToken,
  login,
  requestPasswordReset,
  setPassword,
  validatePassword,
} from '@yardarm/shared/contracts/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsRig, admin, nextYear, race, startAccountsRig } from '../testing/accounts-rig.ts';
import { goodPassword, insertPerson } from '../testing/people.ts';

let rig: AccountsRig;
let ann: number;
let people = 0;

const newPassword = 'An0ther!passw0rd';
const address = '203.0.113.1';

beforeAll(async () => {
  rig = await startAccountsRig({
    SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000',
    PASSWORD_RESET_LIMIT_PER_MINUTE: '1000',
  });
});

afterAll(() => rig?.stop());

beforeEach(async () => {
  await rig.rows('truncate accounts.rate_limits');
  people += 1;
  ann = await insertPerson(rig, { username: `Ann-${people}-the-1st`, email: `Ann.${people}@example.com` });
});

const as = (id: number, kind: Actor['kind'] = 'user'): Actor => ({ kind, id, username: 'x', grants: [] });
const logIn = (password: string) =>
  rig.ask(login, { username: `ann-${people}-the-1st`, password, address }, null).then(({ session }) => session.token);
const change = (changes: Partial<Parameters<typeof rig.ask<typeof changeOwnPassword>>[1]> = {}, actor = as(ann)) =>
  rig.ask(
    changeOwnPassword,
    {
      password: newPassword,
      confirmPassword: newPassword,
      oldPassword: goodPassword,
      sessionId: null,
      address,
      ...changes,
    },
    actor,
  );
const createToken = (userId: number, description: string, callerTokenId: number | null = null) =>
  rig.ask(createPersonalToken, { description, expiresAt: nextYear, callerTokenId }, as(userId));
const resets = () => rig.rows('select 1 from accounts.password_resets where user_id = $1', [ann]);

describe('a password that an admin sets', () => {
  test('replaces the old one, ends every session and an open reset, with hints to gateways', async () => {
    const sessions = [await logIn(goodPassword), await logIn(goodPassword)];
    await rig.ask(requestPasswordReset, { user: `ann.${people}@example.com` });
    await rig.rows('update accounts.users set must_change_password = true, login_attempts = 3 where id = $1', [ann]);
    await rig.ask(setPassword, { userId: ann, password: newPassword });

    expect(await Promise.all(sessions.map(rig.resolved))).toEqual([null, null]);
    expect(await resets()).toEqual([]);
    expect(
      await rig.rows('select must_change_password, login_attempts from accounts.users where id = $1', [ann]),
    ).toEqual([{ must_change_password: false, login_attempts: 0 }]);
    await expect(logIn(goodPassword)).rejects.toMatchObject({ code: 'password-mismatch' });
    await logIn(newPassword);
    await expect.poll(() => rig.hints.accessChanged).toContain(ann);
    for (const token of sessions) expect(rig.hints.tokenChanged).toContain(readToken(token)?.selector);
  });

  test('deletes the personal tokens of the user, with events of the admin and hints to gateways', async () => {
    const made = [await createToken(ann, 'laptop'), await createToken(ann, 'phone')];
    const others = await createToken(await insertPerson(rig, { username: `bob${people}` }), 'bob');
    await rig.ask(setPassword, { userId: ann, password: newPassword });
    expect(await Promise.all(made.map(({ secret }) => rig.resolved(secret!)))).toEqual([null, null]);
    expect(await rig.resolved(others.secret!)).not.toBeNull();
    const ofAnn = (await rig.events('pat-deleted')).filter(({ preData }) => preData?.userId === ann);
    expect(ofAnn).toMatchObject(
      made.map(({ id, description }) => ({ createdBy: 'root', data: null, preData: { id, description } })),
    );
    for (const { secret } of made)
      await expect.poll(() => rig.hints.tokenChanged).toContain(readToken(secret!)?.selector);
  });

  test('keeps the personal tokens if the request says so, and ends the sessions all the same', async () => {
    const session = await logIn(goodPassword);
    const { secret } = await createToken(ann, 'pipeline');
    await rig.ask(setPassword, { userId: ann, password: newPassword, keepPersonalTokens: true });
    expect(await rig.resolved(secret!)).not.toBeNull();
    expect(await rig.resolved(session)).toBeNull();
  });

  test('leaves no token that a thief makes meanwhile with a stolen session or token', async () => {
    const session = await rig.resolved(await logIn(goodPassword));
    const stolen = await createToken(ann, 'stolen');
    const steal = (n: number) => createToken(ann, `thief ${n}`, n % 2 === 0 ? stolen.id : session!.id);
    const acts = Array.from({ length: 8 }, (_, n) => () => steal(n) as Promise<unknown>);
    acts.splice(4, 0, () => rig.ask(setPassword, { userId: ann, password: newPassword }));
    await Promise.allSettled(acts.map((act) => act()));
    await expect(createToken(ann, 'late', session!.id)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await rig.rows(`select 1 from accounts.tokens where user_id = $1`, [ann])).toEqual([]);
  });

  test('is not in events or logs', async () => {
    await rig.ask(setPassword, { userId: ann, password: newPassword });
    const events = await rig.rows('select payload from accounts.outbox');
    expect(JSON.stringify(events)).not.toContain(newPassword);
    expect(rig.logged.join('')).not.toContain(newPassword);
  });

  test.each([
    ['weak', 'The password must be at least 10 characters long.'],
    ['ANN-%-the-1ST', 'The password may not be the username or the e-mail address.'],
    ['Ann.%@example.com', 'The password may not be the username or the e-mail address.'],
  ])('is refused when it is %j', async (password, message) => {
    await expect(
      rig.ask(setPassword, { userId: ann, password: password.replace('%', String(people)) }),
    ).rejects.toMatchObject({ code: 'weak-password', message });
    await logIn(goodPassword);
  });

  test.each([0, 999_999, 3_000_000_000])('is refused for the unknown user %i', async (userId) => {
    await expect(rig.ask(setPassword, { userId, password: newPassword })).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(String(userId)),
    });
  });

  test('is refused for a service account and for a user who is deleted', async () => {
    const [robot] = await rig.rows<{ id: number }>(
      `insert into accounts.users (kind, username, name, root_role) values ('service-account', 'r${people}', 'R', 3) returning id`,
    );
    await expect(rig.ask(setPassword, { userId: robot!.id, password: newPassword })).rejects.toMatchObject({
      code: 'not-found',
    });
    await rig.rows('update accounts.users set deleted_at = now() where id = $1', [ann]);
    await expect(rig.ask(setPassword, { userId: ann, password: newPassword })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  test('needs an admin', async () => {
    await expect(rig.ask(setPassword, { userId: ann, password: newPassword }, as(ann))).rejects.toMatchObject({
      code: 'no-access',
    });
  });
});

describe('changing one’s own password', () => {
  test('keeps its session and the personal tokens, ends other sessions, and clears mustChangePassword', async () => {
    const [mine, other] = [await logIn(goodPassword), await logIn(goodPassword)];
    const token = await createToken(ann, 'stays');
    await rig.rows('update accounts.users set must_change_password = true where id = $1', [ann]);
    const before = await rig.resolved(mine);
    expect(before?.mustChangePassword).toBe(true);
    await change({ sessionId: before!.id });
    expect(await rig.resolved(mine)).toMatchObject({ mustChangePassword: false });
    expect(await rig.resolved(other)).toBeNull();
    expect(await rig.resolved(token.secret!)).not.toBeNull();
    await expect.poll(() => rig.hints.accessChanged).toContain(ann);
    await logIn(newPassword);
  });

  test.each([
    ['the old password is wrong', { oldPassword: 'wr0ng!Password' }, 'password-mismatch', 'The old password'],
    ['it is typed differently', { confirmPassword: 'x' }, 'bad-data', 'The .confirmPassword property'],
    [
      'it is the old one',
      { password: goodPassword, confirmPassword: goodPassword },
      'bad-data',
      'The .password property',
    ],
    ['it is weak', { password: 'weak', confirmPassword: 'weak' }, 'weak-password', 'The password must be'],
  ])('is refused when %s, and nothing changes', async (_title, changes, code, message) => {
    const session = await logIn(goodPassword);
    await expect(change(changes)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(await rig.resolved(session)).not.toBeNull();
    await logIn(goodPassword);
  });

  test.each([
    ['an admin token', admin],
    ['a service account', as(1, 'service-account')],
  ])('is refused to %s', async (_title, actor) => {
    await expect(change({}, actor)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('limits guesses at the old one', async () => {
    const { codes } = await race((racer) => change({ oldPassword: `wr0ng!Password${racer}` }));
    expect(codes.sort()).toEqual(['password-mismatch', 'rate-limited']);
  });

  test('of two concurrent changes with the same old password one succeeds', async () => {
    const results = await Promise.allSettled(
      ['First!passw0rd', 'Sec0nd!password'].map((password) => change({ password, confirmPassword: password })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

test('a login with the old password during a change is refused, or its session ends', async () => {
  const [login] = await Promise.allSettled([
    logIn(goodPassword),
    rig.ask(setPassword, { userId: ann, password: newPassword }),
  ]);
  if (login.status === 'fulfilled') expect(await rig.resolved(login.value)).toBeNull();
  else expect(login.reason).toMatchObject({ code: 'password-mismatch' });
});

test('any caller may validate a password', async () => {
  await rig.ask(validatePassword, { password: newPassword }, null);
  await expect(rig.ask(validatePassword, { password: 'weak' }, null)).rejects.toMatchObject({
    code: 'weak-password',
    details: [{ message: expect.any(String), validationErrors: expect.arrayContaining([expect.any(String)]) }],
  });
});
