import { BlockList, isIP } from 'node:net';

/** The destinations that the operator allowed: names with private addresses, and addresses under any name. */
export interface AllowedPrivate {
  hasName(hostname: string): boolean;
  hasAddress(address: string): boolean;
}

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

/** Parses host names, addresses and CIDRs. `faults` has a sentence for each entry that is none of these. */
export function readAllowedPrivate(entries: readonly string[]): { allowed: AllowedPrivate; faults: string[] } {
  const names = new Set<string>();
  const addresses = new BlockList();
  const faults: string[] = [];
  for (const entry of entries) {
    const text = plainName(entry);
    const [base = '', prefix, ...rest] = text.split('/');
    const family = isIP(base);
    if (family !== 0 && rest.length === 0) {
      if (!addRange(addresses, base, prefix, family === 4 ? 32 : 128)) faults.push(`${entry} is not a CIDR`);
    } else if (hostName.test(text) && !/^[\d.]+$/.test(text)) {
      names.add(text);
    } else {
      faults.push(`${entry} should be a host name without a port, an IP address or a CIDR`);
    }
  }
  return {
    faults,
    allowed: {
      hasName: (hostname) => names.has(plainName(hostname)),
      // BlockList also matches IPv4-mapped IPv6 addresses.
      hasAddress: (address) => addresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
    },
  };
}

/** The form in which names are compared: `[::1]` -> `::1`, `Host.Example.` -> `host.example`. */
export function plainName(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function addRange(list: BlockList, base: string, prefix: string | undefined, maxLength: 32 | 128): boolean {
  const length = prefix === undefined ? maxLength : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  if (length < 0 || length > maxLength || base.includes('%')) return false;
  list.addSubnet(base, length, maxLength === 32 ? 'ipv4' : 'ipv6');
  return true;
}
