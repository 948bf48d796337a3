import { parseNetwork } from '@yardarm/evaluation/network';

/** `192.0.2.1:4711` or `[2001:db8::1]:4711`, also in brackets without a port. */
const withPort = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i;

/**
 * The network of an address, for rate limits: of IPv4 the address, also when it is mapped to IPv6; of IPv6 the first 64
 * bits, the smallest range of one customer (RFC 6177), so that no client has 2^64 addresses. Some proxies write the
 * client's port into X-Forwarded-For, which is another one for each connection and does not count. Other texts stay
 * unchanged.
 */
export function networkOf(sent: string): string {
  const address = sent.replace(withPort, '$1$2');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1] as string;
  const { words = [] } = parseNetwork(address.replace(/%.*/s, '')) ?? {};
  if (words.length !== 8) return address;
  const network = words.slice(0, 4).map((word) => word.toString(16));
  return `${network.join(':')}::/64`;
}
