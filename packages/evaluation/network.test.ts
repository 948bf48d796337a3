import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { containsNetwork, parseNetwork } from './network.ts';

const family = { 4: 'ipv4', 6: 'ipv6' } as const;
const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('10.0.0.1', '10.0.0.129', '::1', '::ffff:10.0.0.1'));

test('knows the addresses that the operating system knows', () => {
  const characters = fc.string({ unit: fc.constantFrom('0', '1', '25', '5', 'f', ':', '::', '.', '1.2.3.4', 'g') });
  fc.assert(
    fc.property(fc.oneof(address, characters), (text) => {
      expect(parseNetwork(text) !== null).toBe(isIP(text) !== 0);
    }),
    { numRuns: 5000 },
  );
});

test('a network contains the addresses that the operating system finds in it', () => {
  fc.assert(
    fc.property(address, address, fc.nat(128), (base, other, bits) => {
      const version = isIP(base) as 4 | 6;
      const prefix = Math.min(bits, version === 4 ? 32 : 128);
      const list = new BlockList();
      list.addSubnet(base, prefix, family[version]);
      // Unlike a BlockList, a network of one version contains no address of the other.
      const isInside = isIP(other) === version && list.check(other, family[version]);
      expect(containsNetwork(parseNetwork(`${base}/${prefix}`)!, parseNetwork(other)!)).toBe(isInside);
    }),
    { numRuns: 2000 },
  );
});

describe('parseNetwork', () => {
  it.each([
    '',
    '/',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/1e1',
    '10.0.0.0/08',
    '::/129',
    '1.2.3/8',
  ])('refuses %j', (text) => expect(parseNetwork(text)).toBeNull());

  it.each(['010.0.0.1', '256.0.0.1', '1.2.3.4.5', 'fe80::1%eth0', '1::2::3', '1:2:3:4:5:6:7:8::', '12345::'])(
    'refuses the address %j',
    (text) => expect(parseNetwork(text)).toBeNull(),
  );

  it('refuses a text of megabytes without reading it', () => {
    expect(parseNetwork(':'.repeat(10_000_000))).toBeNull();
  });
});

test('a network contains itself and narrower ones, and no wider one', () => {
  const [wide, narrow] = [parseNetwork('10.0.0.0/8')!, parseNetwork('10.0.0.0/16')!];
  expect(containsNetwork(wide, wide)).toBe(true);
  expect(containsNetwork(wide, narrow)).toBe(true);
  expect(containsNetwork(narrow, wide)).toBe(false);
});
