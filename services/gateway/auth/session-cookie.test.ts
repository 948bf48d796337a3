import { expect, test } from 'vitest';
import { SessionCookie } from './session-cookie.ts';

const cookie = new SessionCookie();

test.each([
  [undefined, null],
  ['', null],
  ['other=1', null],
  ['yardarm-session=', null],
  ['yardarm-session=abc', 'abc'],
  ['a=1; yardarm-session=abc;b=2', 'abc'],
  ['a=1;yardarm-session=a=b', 'a=b'],
  ['not-yardarm-session=abc', null],
  ['yardarm-session=first; yardarm-session=second', 'first'],
])('the session in %j is %j', (header, token) => {
  expect(cookie.read(header, false)).toBe(token);
});

test.each([true, false])('reads a cookie that was made, and none after it was cleared; by HTTPS: %j', (isSecure) => {
  const sent = (header: string) => header.split(';')[0];
  const made = cookie.make('session:x', '2999-01-01T00:00:00Z', isSecure);
  expect(cookie.read(sent(made), isSecure)).toBe('session:x');
  expect(cookie.read(sent(cookie.clear(isSecure)), isSecure)).toBeNull();
});

test('over HTTPS only the cookie that no other host can set is read', () => {
  const planted = cookie.make('session:planted', '2999-01-01T00:00:00Z', false).split(';')[0];
  const own = cookie.make('session:own', '2999-01-01T00:00:00Z', true);
  expect(own).toMatch(/^__Host-yardarm-session=session:own; .*Path=\/; .*Secure$/);
  expect(cookie.read(planted, true)).toBeNull();
  expect(cookie.read(`${planted}; ${own.split(';')[0]}`, true)).toBe('session:own');
});

test('with a base path the cookie is sent to that path alone, and has a name that allows it', () => {
  const underPath = new SessionCookie('/flags');
  const made = underPath.make('session:x', '2999-01-01T00:00:00Z', true);
  expect(made).toMatch(/^__Secure-yardarm-session=session:x; .*Path=\/flags; HttpOnly; SameSite=Lax; Secure$/);
  expect(underPath.clear(true)).toMatch(/^__Secure-yardarm-session=; Expires=Thu, 01 Jan 1970 .*Path=\/flags; /);
  const both = `__Host-yardarm-session=session:other; ${made.split(';')[0]}`;
  expect(underPath.read(both, true)).toBe('session:x');
  expect(cookie.read(both, true)).toBe('session:other');
});
