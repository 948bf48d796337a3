import { expect, test } from 'vitest';
import { accountKey, networkOf, tooMany } from './rate-limit.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
  ['', ''],
])('%j is counted as %j', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('neighbours in one network are counted together, and networks apart', () => {
  expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff::'));
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
});

test('an account is counted by the name that was typed, in whatever case, and the name is not kept', () => {
  expect(accountKey('Nobody')).toBe(accountKey('nobody'));
  expect(accountKey('ann')).not.toBe(accountKey('ann@example.com'));
  expect(accountKey('hunter2')).not.toContain('hunter2');
});

test.each([
  [59_001, 60],
  [1, 1],
  [0, 1],
  [-5, 1],
])('with %i ms to go it says to wait for %i s', (ms, seconds) => {
  const error = tooMany('logins', ms);
  expect(error).toMatchObject({ code: 'rate-limited', retryAfterSeconds: seconds });
  expect(error.message).toContain(`${seconds} seconds`);
});
