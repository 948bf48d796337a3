import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type AllowedPrivate, plainName } from './allowed-private.ts';
import { notPublic, OutgoingRefused } from './outgoing-errors.ts';
import type { Address, Resolve } from './resolve.ts';

/** Where a call goes: the addresses are settled here, once, and the connection is made to these and no others. */
export interface Destination {
  addresses: Address[];
  /** That the operator's list, and not the address being public, lets the call through. */
  isAllowedPrivate: boolean;
}

// RFC 6761: these names mean loopback whatever a resolver says.
const loopback: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

// Global unicast. All that is not in it (::/96 with an IPv4 address inside, what IANA has not given out) is nobody's public endpoint.
const globalUnicast6 = new BlockList();
globalUnicast6.addSubnet('2000::', 3, 'ipv6');

// A public address by number that answers every Azure machine with its own metadata and agent channel.
const metadata = new BlockList();
metadata.addAddress('168.63.129.16', 'ipv4');

/** Parses the address of a call. What is not http(s), or carries credentials, is refused. */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new OutgoingRefused('the URL does not parse');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutgoingRefused('the URL is neither http nor https');
  if (url.username !== '' || url.password !== '')
    throw new OutgoingRefused('the URL carries a user name or a password');
  return url;
}

/**
 * Settles which addresses a call may connect to. An address of the operator's list is good; with one of them in the answer the
 * others are left out. Otherwise every address must be a public one: a name with one private address among public ones is refused.
 *
 * Public is what is "unicast" to ipaddr.js (not loopback, private, link-local, carrier NAT, NAT64, 6to4 ...) and not on the lists above.
 * request-filtering-agent asks the first of the two once more when a connection is made without a proxy.
 */
export async function settle(url: URL, allowed: AllowedPrivate, resolve: Resolve): Promise<Destination> {
  const hostname = plainName(url.hostname);
  const addresses = await addressesOf(hostname, resolve);
  if (addresses.length === 0) throw new OutgoingRefused('the name has no address');
  if (allowed.hasName(hostname)) return { addresses, isAllowedPrivate: true };
  const listed = addresses.filter(({ address }) => allowed.hasAddress(address));
  if (listed.length > 0) return { addresses: listed, isAllowedPrivate: true };
  if (addresses.some(isNoEndpoint)) throw notPublic();
  return { addresses, isAllowedPrivate: false };
}

async function addressesOf(hostname: string, resolve: Resolve): Promise<Address[]> {
  const family = isIP(hostname);
  if (family === 4 || family === 6) return [{ address: hostname, family }];
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return loopback;
  return resolve(hostname);
}

function isNoEndpoint({ address, family }: Address): boolean {
  if (ipaddr.parse(address).range() !== 'unicast') return true;
  return family === 4 ? metadata.check(address, 'ipv4') : !globalUnicast6.check(address, 'ipv6');
}
