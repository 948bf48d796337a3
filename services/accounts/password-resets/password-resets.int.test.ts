import { readToken } from '@yardarm/shared/auth';
import {
  checkPasswordReset,
  createPersonalToken,
  createUser,
  login,
  requestPasswordReset,
  resetPassword,
  resolveToken,
} from '@yardarm/shared/contracts/accounts';
import { longTest } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountsRig, nextYear, race, startAccountsRig } from '../testing/accounts-rig.ts';
import { goodPassword, insertPerson } from '../testing/people.ts';

let rig: AccountsRig;
let ann: number;
let people = 0;

const newPassword = 'An0ther!passw0rd';
const address = '203.0.113.1';

beforeAll(async () => {
  rig = await startAccountsRig({ PASSWORD_RESET_LIMIT_PER_MINUTE: '1000', SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000' });
});

afterAll(() => rig?.stop());

beforeEach(async () => {
  await rig.rows('truncate accounts.rate_limits');
  people += 1;
  ann = await insertPerson(rig, { username: `ann${people}`, email: `Ann${people}@example.com`, rootRole: 2 });
});

const request = (user = `ann${people}`) => rig.ask(requestPasswordReset, { user });
const check = (token: string) => rig.ask(checkPasswordReset, { token, address }, null);
const reset = (token: string, password = newPassword) => rig.ask(resetPassword, { token, password, address }, null);
const logIn = (password: string) => rig.ask(login, { username: `ann${people}`, password, address }, null);

describe('a one-time token', () => {
  test('is created for a username or an e-mail in any case, lasts a day, and is stored as a hash', async () => {
    const { token, expiresAt } = await request(`ANN${people}@example.com`);
    expect(token).toMatch(/^reset_yd_/);
    const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
    expect(JSON.stringify(await rig.rows('select r::text from accounts.password_resets r'))).not.toContain(
      token.slice(-49),
    );
  });

  test('can be checked for its user, and stays valid', async () => {
    const { token } = await request();
    for (const _ of [1, 2]) {
      expect(await check(token)).toEqual({
        id: ann,
        name: null,
        username: `ann${people}`,
        email: `Ann${people}@example.com`,
        createdBy: 'root',
        role: expect.objectContaining({ id: 2, name: 'Editor', type: 'root' }),
      });
    }
  });

  test('lets its user choose a password once, which ends their sessions', async () => {
    const { session } = await logIn(goodPassword);
    const { token } = await request();
    await reset(token);
    expect((await rig.ask(resolveToken, { selector: readToken(session.token)!.selector })).token).toBeNull();
    await logIn(newPassword);
    await expect(reset(token, 'Y3t!another-one')).rejects.toMatchObject({ code: 'invalid-token' });
    await logIn(newPassword);
  });

  test.each([
    [{}, 'deletes'],
    [{ keepPersonalTokens: false }, 'deletes'],
    [{ keepPersonalTokens: true }, 'keeps'],
  ])('used with %j %s the personal tokens of its user', async (choice, effect) => {
    const actor = { kind: 'user' as const, id: ann, username: 'x', grants: [] };
    const made = await rig.ask(createPersonalToken, { description: 'laptop', expiresAt: nextYear }, actor);
    const { token } = await request();
    await rig.ask(resetPassword, { token, password: newPassword, address, ...choice }, null);
    expect((await rig.resolved(made.secret!)) === null).toBe(effect === 'deletes');
    const events = (await rig.events('pat-deleted')).filter(({ preData }) => preData?.userId === ann);
    const email = `Ann${people}@example.com`;
    expect(events).toMatchObject(effect === 'deletes' ? [{ createdBy: email, createdByUserId: ann }] : []);
  });

  test('is used by one of many requests at once', async () => {
    const { token } = await request();
    const { won, codes } = await race((racer) => reset(token, `An0ther!passw0rd-${racer}`));
    expect({ won, codes }).toEqual({ won: 1, codes: ['invalid-token'] });
  });

  test('is not used up by a password that is too weak', async () => {
    const { token } = await request();
    await expect(reset(token, 'weak')).rejects.toMatchObject({ code: 'weak-password' });
    await expect(reset(token, `Ann${people}@example.com`)).rejects.toMatchObject({ code: 'weak-password' });
    await reset(token);
  });

  test('resets the count of wrong passwords', async () => {
    for (let guesses = 0; guesses < 6; guesses += 1) await logIn('wr0ng!Password').catch(() => {});
    await expect(logIn(goodPassword)).rejects.toMatchObject({ code: 'rate-limited' });
    await reset((await request()).token);
    await logIn(newPassword);
  });

  longTest('frees an account that was locked from many addresses', async () => {
    for (let network = 0; network < 10; network += 1) {
      const at = { username: `ann${people}`, address: `2001:db8:0:${network}::1` };
      for (let guess = 0; guess < 5; guess += 1)
        await rig.ask(login, { ...at, password: 'wr0ng!Password' }, null).catch(() => {});
    }
    await expect(logIn(goodPassword)).rejects.toMatchObject({ code: 'rate-limited' });
    await reset((await request()).token);
    await logIn(newPassword);
  });

  test.each([
    ['that was not created', async () => 'reset_nobody-has-this'],
    ['that is empty', async () => ''],
    ['that is malformed', async () => 'ü'],
    [
      'with another secret behind its selector',
      async () => {
        const { token } = await request();
        await rig.rows('update accounts.password_resets set hash = reverse(hash) where user_id = $1', [ann]);
        return token;
      },
    ],
    [
      'that was replaced',
      async () => {
        const { token } = await request();
        await request();
        return token;
      },
    ],
    [
      'that has expired',
      async () => {
        const { token } = await request();
        await rig.rows('update accounts.password_resets set expires_at = now() where user_id = $1', [ann]);
        return token;
      },
    ],
    [
      'whose user is deleted',
      async () => {
        const { token } = await request();
        await rig.rows('update accounts.users set deleted_at = now() where id = $1', [ann]);
        return token;
      },
    ],
  ])('%s is refused with the same error', async (_title, make) => {
    const token = await make();
    const refusal = { code: 'invalid-token', message: 'Token was not valid' };
    await expect(check(token)).rejects.toMatchObject(refusal);
    await expect(reset(token)).rejects.toMatchObject(refusal);
  });

  test('cannot be a session or an API token', async () => {
    const { session } = await logIn(goodPassword);
    await expect(reset(session.token)).rejects.toMatchObject({ code: 'invalid-token' });
  });

  test.each(['nobody', 'nobody@example.com', ''])('is not created for the unknown user %j', async (user) => {
    await expect(request(user)).rejects.toMatchObject({
      code: 'not-found',
      message: `Could not find a user with the username or e-mail ${JSON.stringify(user)}.`,
    });
  });

  test('can be requested by admins only', async () => {
    const viewer = { kind: 'user' as const, id: ann, username: 'ann', grants: [] };
    await expect(rig.ask(requestPasswordReset, { user: 'ann' }, viewer)).rejects.toMatchObject({ code: 'no-access' });
  });

  test('that has expired is swept, and others stay', async () => {
    const { token } = await request();
    const bob = await insertPerson(rig, { username: `bob${people}` });
    await request(`bob${people}`);
    await rig.rows(`update accounts.password_resets set expires_at = now() - interval '1 s' where user_id = $1`, [bob]);
    await rig.service.processAll();
    expect(await rig.rows('select 1 from accounts.password_resets where user_id = $1', [bob])).toEqual([]);
    await check(token);
  });
});

test('an invited user chooses their first password within a week', async () => {
  const { user, inviteToken } = await rig.ask(createUser, { username: `new${people}`, rootRole: 'Viewer' });
  const [row] = await rig.rows<{ hours: number }>(
    `select extract(epoch from expires_at - now())::float / 3600 as hours from accounts.password_resets where user_id = $1`,
    [user.id],
  );
  expect(row?.hours).toBeGreaterThan(167);
  expect(row?.hours).toBeLessThanOrEqual(168);
  await reset(inviteToken as string);
  await rig.ask(login, { username: `new${people}`, password: newPassword, address }, null);
});
