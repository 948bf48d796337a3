import { expect, test } from 'vitest';
import { clearSessionCookie, makeSessionCookie, readSessionCookie } from './session-cookie.ts';

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
  expect(readSessionCookie(header, false)).toBe(token);
});

test.each([true, false])('reads a cookie that was made, and none after it was cleared; by HTTPS: %j', (isSecure) => {
  const sent = (cookie: string) => cookie.split(';')[0];
  const made = makeSessionCookie('session:x', '2999-01-01T00:00:00Z', isSecure);
  expect(readSessionCookie(sent(made), isSecure)).toBe('session:x');
  expect(readSessionCookie(sent(clearSessionCookie(isSecure)), isSecure)).toBeNull();
});

test('over HTTPS only the cookie that no other host can set is read', () => {
  const planted = makeSessionCookie('session:planted', '2999-01-01T00:00:00Z', false).split(';')[0];
  const own = makeSessionCookie('session:own', '2999-01-01T00:00:00Z', true);
  expect(own).toMatch(/^__Host-yardarm-session=session:own; .*Path=\/; .*Secure$/);
  expect(readSessionCookie(planted, true)).toBeNull();
  expect(readSessionCookie(`${planted}; ${own.split(';')[0]}`, true)).toBe('session:own');
});
