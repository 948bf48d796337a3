import { isIPv6 } from 'node:net';

/**
 * The network of an address, for rate limits. An IPv4 address is its own network, also when it is mapped to IPv6. Of IPv6 it is the first
 * 64 bits, the smallest range of one customer (RFC 6177), so that no client has 2^64 addresses to try. Other texts are returned as they are.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1] as string;
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    // An IPv4 tail is two groups.
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    groups.push(...Array.from({ length: 8 - groups.length - after }, () => '0'), ...tail.split(':'));
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
