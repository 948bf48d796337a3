import { expect, test } from 'vitest';
import { hashOfNobody, hashPassword, isPassword } from './hash.ts';

test('a password is kept as argon2id with the parameters that OWASP names, and never twice as the same text', async () => {
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

test('nobody has the right password where there is none, and the same work is done to say so', async () => {
  const parametersOf = (hash: string) => hash.split('$').slice(0, 4);
  expect(parametersOf(hashOfNobody)).toEqual(parametersOf(await hashPassword('Str0ng!passw0rd')));
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => isPassword(null, 'wrong')));
  // Refused by the same limit as hashes are: each takes its turn at one.
  expect(results.filter((result) => result.status === 'rejected')).toHaveLength(60 - 52);
  for (const result of results) if (result.status === 'fulfilled') expect(result.value).toBe(false);
});

test('of very many at once those who would wait too long are told to come again, and the others are served', async () => {
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => hashPassword('Str0ng!passw0rd')));
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused).toHaveLength(60 - 52);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  expect(await isPassword(await hashPassword('a'), 'a')).toBe(true);
});
