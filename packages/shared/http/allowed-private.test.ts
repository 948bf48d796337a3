import { expect, it } from 'vitest';
import { readAllowedPrivate } from './allowed-private.ts';

it.each([
  'hooks.internal',
  'HOOKS',
  'my_host',
  '10.0.0.1',
  '10.0.0.0/8',
  '::1',
  '[::1]',
  'fd00::/8',
  '::/0',
  '0.0.0.0/0',
])('accepts %s', (entry) => {
  expect(readAllowedPrivate([entry]).faults).toEqual([]);
});

it.each([
  'hooks:8080',
  'http://hooks',
  '10.0.0.0/33',
  'fd00::/129',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '10.0.0',
  '1.2.3.4.5',
  '*.internal',
  'a b',
  '',
  'fe80::1%eth0',
  '-a',
])('reports "%s" by name', (entry) => {
  const { faults } = readAllowedPrivate([entry]);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(entry);
});

it('reports all faults at once', () => {
  expect(readAllowedPrivate(['a b', 'ok', 'c d']).faults).toHaveLength(2);
});

it('matches addresses in the ranges only, including IPv4-mapped IPv6 addresses', () => {
  const { allowed } = readAllowedPrivate(['10.0.0.0/8', 'fd00::/8']);
  expect(['10.255.0.1', '::ffff:10.0.0.1', 'fd12::1'].map(allowed.hasAddress)).toEqual([true, true, true]);
  expect(['11.0.0.1', '::ffff:11.0.0.1', 'fe80::1', 'fe80::1%eth0', 'nonsense'].map(allowed.hasAddress)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
