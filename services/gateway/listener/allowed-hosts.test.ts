import { expect, test } from 'vitest';
import { createHostCheck } from './allowed-hosts.ts';

test.each([
  'flags.example',
  'FLAGS.example:4242',
  'flags.example.',
  'flags.example:',
  '127.0.0.1',
  '10.1.2.3:4242',
  '[::1]',
  '[2001:db8::7]:4242',
  undefined,
])('the host %j passes', (host) => {
  expect(() => createHostCheck(['localhost', 'Flags.Example'])(host)).not.toThrow();
});

test.each([
  'evil.example',
  'evil.example:4242',
  'flags.example.evil.example',
  'notflags.example',
  '127.0.0.1.evil.example',
  '127.1',
  '0x7f000001',
  '[::1].evil.example',
  '[::1',
  '',
  'flags.example:4242:1',
])('the host %j is refused, and the message names it', (host) => {
  const check = createHostCheck(['localhost', 'flags.example']);
  expect(() => check(host)).toThrow(JSON.stringify(host));
  expect(() => check(host)).toThrow('localhost, flags.example (ALLOWED_HOSTS)');
});

test('without names every host passes', () => {
  expect(() => createHostCheck([])('evil.example')).not.toThrow();
});
