import { isIP } from 'node:net';
import { type Network, parseNetwork } from '@yardarm/evaluation/network';
import ipaddr from 'ipaddr.js';
import { type AllowedPrivate, isWithin, plainName } from './allowed-private.ts';
import { notPublic, OutgoingRefused } from './outgoing-errors.ts';
import type { Address, Resolve } from './resolve.ts';

/** A call resolves its destination once and connects to these addresses only. */
export interface Destination {
  addresses: Address[];
  /** True when the operator's list allows the call; false when the addresses are public. */
  isAllowedPrivate: boolean;
}

// RFC 6761: these names mean loopback whatever a resolver says.
const loopback: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

// Global unicast. Other ranges (::/96 with an IPv4 address, ranges that IANA has not assigned) have no public
// endpoints.
const globalUnicast6 = [parseNetwork('2000::/3') as Network];

// A public address that gives every Azure machine its own metadata and agent channel.
const metadata = [parseNetwork('168.63.129.16') as Network];

/** Parses the URL of a call. Refuses URLs that are not http(s) or have credentials. */
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
 * Resolves the addresses that a call may connect to. If some addresses are on the operator's list, the others are left
 * out. Otherwise every address must be public: a name with one private address is refused.
 *
 * An address is public if it is "unicast" to ipaddr.js (not loopback, private, link-local, carrier NAT, NAT64, 6to4
 * ...) and the lists above allow it. request-filtering-agent checks the first of the two again when a connection is
 * made without a proxy.
 */
export async function resolveDestination(url: URL, allowed: AllowedPrivate, resolve: Resolve): Promise<Destination> {
  const hostname = plainName(url.hostname);
  // The URL has no port when it is the protocol's own.
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const addresses = await addressesOf(hostname, resolve);
  if (addresses.length === 0) throw new OutgoingRefused('the name has no address');
  if (allowed.hasName(hostname, port)) return { addresses, isAllowedPrivate: true };
  const listed = addresses.filter(({ address }) => allowed.hasAddress(address, port));
  if (listed.length > 0) return { addresses: listed, isAllowedPrivate: true };
  if (addresses.some(isNotPublic)) throw notPublic();
  return { addresses, isAllowedPrivate: false };
}

async function addressesOf(hostname: string, resolve: Resolve): Promise<Address[]> {
  const family = isIP(hostname);
  if (family === 4 || family === 6) return [{ address: hostname, family }];
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return loopback;
  return resolve(hostname);
}

function isNotPublic({ address, family }: Address): boolean {
  if (ipaddr.parse(address).range() !== 'unicast') return true;
  return family === 4 ? isWithin(metadata, address) : !isWithin(globalUnicast6, address);
}
