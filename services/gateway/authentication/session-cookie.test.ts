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
  expect(readSessionCookie(header)).toBe(token);
});

test('reads a cookie that was made, and none after it was cleared', () => {
  const sent = (cookie: string) => cookie.split(';')[0];
  expect(readSessionCookie(sent(makeSessionCookie('session:x', '2999-01-01T00:00:00Z', true)))).toBe('session:x');
  expect(readSessionCookie(sent(clearSessionCookie(false)))).toBeNull();
});
