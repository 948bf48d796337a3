import { BlockList, isIP } from 'node:net';

/** The destinations that the operator allowed: names with private addresses, and addresses under any name. */
export interface AllowedPrivate {
  hasName(hostname: string, port: number): boolean;
  hasAddress(address: string, port: number): boolean;
}

interface Places {
  names: Set<string>;
  addresses: BlockList;
}

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

const maxPort = 65_535;

/**
 * Parses host names, addresses and CIDRs. With a port (`hooks:8080`, `10.0.0.0/8:8080`, `[::1]:8080`,
 * `[fd00::/8]:8080`) an entry allows only that port. `faults` has a sentence for each entry that is none of these.
 */
export function readAllowedPrivate(entries: readonly string[]): { allowed: AllowedPrivate; faults: string[] } {
  const everyPort: Places = { names: new Set(), addresses: new BlockList() };
  const byPort = new Map<number, Places>();
  const faults: string[] = [];
  for (const entry of entries) {
    const { target, port } = splitPort(entry);
    const places =
      port === undefined ? everyPort : (byPort.get(port) ?? { names: new Set(), addresses: new BlockList() });
    const text = plainName(target);
    const [base = '', prefix, ...rest] = text.split('/');
    const family = isIP(base);
    if (port !== undefined && (port < 1 || port > maxPort))
      faults.push(`${entry} should have a port from 1 to ${maxPort}`);
    else if (family !== 0 && rest.length === 0) {
      if (!addRange(places.addresses, base, prefix, family === 4 ? 32 : 128)) faults.push(`${entry} is not a CIDR`);
    } else if (hostName.test(text) && !/^[\d.]+$/.test(text)) {
      places.names.add(text);
    } else {
      faults.push(`${entry} should be a host name, an IP address or a CIDR, and may end with a port, as in [::1]:8080`);
    }
    if (port !== undefined) byPort.set(port, places);
  }
  const at = (port: number) => [everyPort, ...(byPort.has(port) ? [byPort.get(port)!] : [])];
  return {
    faults,
    allowed: {
      hasName: (hostname, port) => at(port).some(({ names }) => names.has(plainName(hostname))),
      // BlockList also matches IPv4-mapped IPv6 addresses.
      hasAddress: (address, port) =>
        at(port).some(({ addresses }) => addresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')),
    },
  };
}

/** IPv6 needs brackets before a port, because `::1:80` is an address too. */
function splitPort(entry: string): { target: string; port?: number } {
  const [, target, port] = /^(\[.*\]|[^:]*):(\d{1,5})$/.exec(entry) ?? [];
  return target === undefined ? { target: entry } : { target, port: Number(port) };
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
