import { expect, test } from 'vitest';
import { dummyHash, hashPassword, isPassword } from './hash.ts';

test('a password is hashed with argon2id and the parameters of OWASP, with a different text each time', async () => {
  const [one, two] = await Promise.all([hashPassword('Str0ng!passw0rd'), hashPassword('Str0ng!passw0rd')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
});

test.each([
  ['Str0ng!passw0rd', true],
  ['str0ng!passw0rd', false],
  ['', false],
])('%j is the password: %s', async (password, expected) => {
  expect(await isPassword(await hashPassword('Str0ng!passw0rd'), password)).toBe(expected);
});

test('the same letters in other code points are the same password', async () => {
  expect(await isPassword(await hashPassword('Pass\u00e9partout-1'), 'Passe\u0301partout-1')).toBe(true);
});

test('without a stored hash no password is right, and the check does the same work', async () => {
  const parametersOf = (hash: string) => hash.split('$').slice(0, 4);
  expect(parametersOf(dummyHash)).toEqual(parametersOf(await hashPassword('Str0ng!passw0rd')));
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => isPassword(null, 'no password')));
  // Even the text of the dummy hash is refused. The limit of concurrent hashes also applies to checks without a hash.
  expect(results.filter((result) => result.status === 'rejected')).toHaveLength(60 - 52);
  for (const result of results) if (result.status === 'fulfilled') expect(result.value).toBe(false);
});

test('of very many hashes at once those that would wait too long are refused, and the others are computed', async () => {
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => hashPassword('Str0ng!passw0rd')));
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused).toHaveLength(60 - 52);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  expect(await isPassword(await hashPassword('a'), 'a')).toBe(true);
});
