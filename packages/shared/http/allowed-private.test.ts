import { expect, it } from 'vitest';
import { readAllowedPrivate } from './allowed-private.ts';

it.each([
  'hooks.internal',
  'HOOKS',
  'my_host',
  '10.0.0.1',
  '10.0.0.0/8',
  '10.0.0.0/08',
  '::1',
  '[::1]',
  'fd00::/8',
  '::/0',
  '0.0.0.0/0',
  'hooks:8080',
  '10.0.0.1:1',
  '10.0.0.0/8:65535',
  '[::1]:8080',
  '[fd00::/8]:8080',
  // An address.
  'fd00::1:8080',
])('accepts %s', (entry) => {
  expect(readAllowedPrivate([entry]).problems).toEqual([]);
});

it.each([
  'hooks:0',
  'hooks:65536',
  'hooks:http',
  'hooks:1:2',
  ':8080',
  '[hooks:8080]',
  'fd00::/8:8080',
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
  const { problems } = readAllowedPrivate([entry]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(entry);
});

it('reports all problems at once', () => {
  expect(readAllowedPrivate(['a b', 'ok', 'c d']).problems).toHaveLength(2);
});

it('matches addresses in the ranges only, including IPv4-mapped IPv6 addresses', () => {
  const { allowed } = readAllowedPrivate(['10.0.0.0/8', 'fd00::/8']);
  for (const address of ['10.255.0.1', '::ffff:10.0.0.1', 'fd12::1'])
    expect(allowed.hasAddress(address, 80)).toBe(true);
  for (const address of ['11.0.0.1', '::ffff:11.0.0.1', 'fe80::1', 'fe80::1%eth0', 'nonsense'])
    expect(allowed.hasAddress(address, 80)).toBe(false);
});

it('allows only the port of an entry that has one', () => {
  const { allowed } = readAllowedPrivate(['hooks:8080', 'hooks:8081', '10.0.0.0/8:443', '[fd00::/8]:443', '10.1.0.1']);
  const allowedPorts = (isAllowed: (port: number) => boolean) => [80, 443, 8080, 8081].filter(isAllowed);
  expect(allowedPorts((port) => allowed.hasName('HOOKS.', port))).toEqual([8080, 8081]);
  expect(allowedPorts((port) => allowed.hasAddress('10.2.0.1', port))).toEqual([443]);
  expect(allowedPorts((port) => allowed.hasAddress('::ffff:10.2.0.1', port))).toEqual([443]);
  expect(allowedPorts((port) => allowed.hasAddress('fd00::1', port))).toEqual([443]);
  expect(allowedPorts((port) => allowed.hasAddress('10.1.0.1', port))).toEqual([80, 443, 8080, 8081]);
});
