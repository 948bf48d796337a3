import { login, resetPassword } from '@yardarm/shared/contracts/accounts';
import { createDatabase, type Database } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadAccountsConfig } from '../config.ts';
import type { AccountsTables } from '../db/schema.ts';
import { type AccountsRig, race, startAccountsRig } from '../testing/accounts-rig.ts';
import { goodPassword, insertPerson } from '../testing/people.ts';
import { type Attempts, createAttempts } from './count-attempts.ts';
import { findAccountKey } from './rate-limits.repo.ts';

let rig: AccountsRig;
/** The connections and counters of two replicas. */
let replicas: { db: Database<AccountsTables>; attempts: Attempts }[];

beforeAll(async () => {
  rig = await startAccountsRig();
  const url = rig.database.urlFor('accounts');
  const config = loadAccountsConfig({ NATS_URL: 'nats://unused', DATABASE_URL: url });
  replicas = [1, 2].map(() => {
    const log = createLogger({ service: 'test', level: 'error' });
    const db = createDatabase<AccountsTables>({ url, schema: 'accounts', log });
    return { db, attempts: createAttempts(db.kysely, config) };
  });
});

afterAll(async () => {
  await Promise.all((replicas ?? []).map(({ db }) => db.close()));
  await rig?.stop();
});

beforeEach(() => rig.rows('truncate accounts.rate_limits'));

const replica = (racer: number) => (replicas[racer % 2] as { attempts: Attempts }).attempts;

describe('over two replicas, of twenty at once', () => {
  test('ten logins from one address are allowed', async () => {
    const { won, codes } = await race((racer) => replica(racer).countLogin('203.0.113.1'));
    expect({ won, codes }).toEqual({ won: 10, codes: ['rate-limited'] });
  });

  test('ten uses of one-time tokens are allowed, independently of logins', async () => {
    await race((racer) => replica(racer).countLogin('203.0.113.2'));
    const { won } = await race((racer) => replica(racer).countPasswordRequest('203.0.113.2'));
    expect(won).toBe(10);
  });

  test('five guesses at one account from one address are allowed', async () => {
    const { won } = await race((racer) => replica(racer).countGuess('user-1', '203.0.113.1'));
    expect(won).toBe(5);
  });

  test('all guesses from different addresses are allowed, and the account is limited after fifty', async () => {
    const guess = (round: number) => race((racer) => replica(racer).countGuess('user-1', `203.0.${round}.${racer}`));
    expect([(await guess(1)).won, (await guess(2)).won, (await guess(3)).won, (await guess(4)).won]).toEqual([
      20, 20, 10, 0,
    ]);
    // Another account is not limited.
    await replica(0).countGuess('user-2', '203.0.1.1');
  });
});

test('a refusal says how long to wait, and after that time the count starts again', async () => {
  const guess = (racer: number) => replica(racer).countGuess('user-3', '203.0.113.3');
  await race(guess);
  const refused = await guess(0).catch((error: unknown) => error as { code: string; retryAfterSeconds: number });
  expect(refused).toMatchObject({ code: 'rate-limited' });
  const { retryAfterSeconds } = refused as { retryAfterSeconds: number };
  expect(retryAfterSeconds).toBeGreaterThan(590);
  expect(retryAfterSeconds).toBeLessThanOrEqual(600);
  await rig.rows('update accounts.rate_limits set expire = $1', [Date.now() - 1]);
  expect((await race(guess)).won).toBe(5);
});

test('an address that was refused is refused without a statement, and others are not', async () => {
  const login = (address: string) => replica(0).countLogin(address);
  await race(() => login('203.0.113.4'));
  await rig.rows('truncate accounts.rate_limits');
  await expect(login('203.0.113.4')).rejects.toMatchObject({ code: 'rate-limited' });
  expect(await rig.rows('select key from accounts.rate_limits')).toEqual([]);
  await login('203.0.113.5');
});

test('one machine that guesses as fast as it can does not lock a person out', async () => {
  await insertPerson(rig, { username: 'ann' });
  const guess = (password: string, address: string) => rig.ask(login, { username: 'ann', password, address }, null);
  for (let guesses = 0; guesses < 15; guesses += 1) await guess('wr0ng!Password', '203.0.113.66').catch(() => {});
  await expect(guess(goodPassword, '203.0.113.66')).rejects.toMatchObject({ code: 'rate-limited' });
  expect((await guess(goodPassword, '203.0.113.1')).user.username).toBe('ann');
});

test('occasional mistypes are never limited, since a right password takes the count back', async () => {
  await insertPerson(rig, { username: 'bob' });
  for (let round = 0; round < 4; round += 1) {
    const at = { username: 'bob', address: `203.0.113.${round < 2 ? 1 : 2}` };
    for (const password of ['typ0!wrong-a', 'typ0!wrong-b', 'typ0!wrong-c'])
      await expect(rig.ask(login, { ...at, password }, null)).rejects.toMatchObject({ code: 'password-mismatch' });
    await rig.ask(login, { ...at, password: goodPassword }, null);
  }
});

test('an account is counted by its login name, in any case, and the name is not stored', async () => {
  const key = (name: string) => findAccountKey((replicas[0] as { db: Database<AccountsTables> }).db.kysely, name);
  expect(await key('Nobody')).toBe(await key('nobody'));
  expect(await key('ann')).not.toBe(await key('ann@example.com'));
  expect(await key('hunter2')).toMatch(/^[0-9a-f]{64}$/);
});

// JavaScript lowers İ to two characters and Σ at the end of a word to ς, where Postgres has one i and σ.
test.each([
  ['a known name with İ', 'wiliiİi', true],
  ['an unknown name with İ', 'nİmİtzİ', false],
  ['a known name with Σ and ς', 'ΟΔΟΣ', true],
  ['an unknown name with Σ and ς', 'ΣΑΣ', false],
  ['a known name with the Kelvin sign', '\u212Aikk', true],
  ['an unknown name with the Kelvin sign', 'no-\u212Ak', false],
])('%s has one counter in every spelling that Postgres takes for it', async (_title, name, exists) => {
  if (exists) await insertPerson(rig, { username: name });
  const spellings = await rig.rows<{ name: string }>(
    'select name from unnest($1::text[]) name where lower(name) = lower($2)',
    [spellingsOf(name), name],
  );
  // As many as the limit of logins allows from one address.
  const guesses = Array.from({ length: 10 }, (_, number) => {
    const { name: username } = spellings[number % spellings.length]!;
    const guess = rig.ask(login, { username, password: 'wr0ng!Password', address: '203.0.113.1' }, null);
    return guess.catch((error: { code: string }) => error.code);
  });
  const codes = await Promise.all(guesses);
  expect(codes.filter((code) => code === 'password-mismatch')).toHaveLength(5);
});

/** The text with each letter in each of its cases. */
function spellingsOf(text: string): string[] {
  const cases = ['iIİ', 'kK\u212A', 'σΣς'];
  const choices = [...text].map((letter) => cases.find((same) => same.includes(letter)) ?? letter);
  return choices.reduce<string[]>(
    (made, letters) => made.flatMap((text) => [...letters].map((one) => text + one)),
    [''],
  );
}

test('refusals do not reveal whether a name exists', async () => {
  await insertPerson(rig, { username: 'carol' });
  const codes = async (username: string) => {
    const answers = [];
    for (let guesses = 0; guesses < 7; guesses += 1) {
      // Two addresses, so that the limit of guesses is reached and that of logins is not.
      const address = username === 'carol' ? '203.0.113.1' : '203.0.113.2';
      const answer = rig.ask(login, { username, password: 'wr0ng!Password', address }, null);
      answers.push(await answer.catch((error: { code: string }) => error.code));
    }
    return answers;
  };
  expect(await codes('carol')).toEqual(await codes('nobody'));
});

test('a refused request computes no hash: a flood of logins is answered at once', async () => {
  const flood = Array.from({ length: 300 }, (_, number) =>
    rig
      .ask(login, { username: `user${number}`, password: 'wr0ng!Password', address: '203.0.113.9' }, null)
      .catch((error: { code: string }) => error.code),
  );
  const codes = await Promise.all(flood);
  expect(codes.filter((code) => code === 'password-mismatch')).toHaveLength(10);
  expect(codes.filter((code) => code === 'rate-limited')).toHaveLength(290);
});

test('guesses at one-time tokens are limited', async () => {
  const { codes } = await race(() =>
    rig.ask(resetPassword, { token: 'reset_guess', password: goodPassword, address: '203.0.113.1' }, null),
  );
  expect(codes.sort()).toEqual(['invalid-token', 'rate-limited']);
});

test('the sweep deletes expired counts and no others', async () => {
  await replica(0).countLogin('203.0.113.7');
  await replica(0).countLogin('203.0.113.8');
  await rig.rows(`update accounts.rate_limits set expire = $1 where key like '%.7'`, [Date.now() - 1]);
  await rig.service.processAll();
  expect(await rig.rows('select key from accounts.rate_limits')).toEqual([{ key: 'login:203.0.113.8' }]);
});

test('an unavailable Postgres is reported as unavailable, not as a limit', async () => {
  const db = createDatabase<AccountsTables>({
    url: 'postgres://nobody@127.0.0.1:1/none',
    schema: 'accounts',
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  const config = loadAccountsConfig({ NATS_URL: 'nats://unused', DATABASE_URL: 'postgres://unused' });
  await expect(createAttempts(db.kysely, config).countLogin('203.0.113.7')).rejects.toMatchObject({
    code: 'unavailable',
  });
  await db.close();
});
