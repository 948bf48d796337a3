import { containsNetwork, type Network, parseNetwork } from '@yardarm/evaluation/network';

/** The destinations that the operator allowed: names with private addresses, and addresses under any name. */
export interface AllowedPrivate {
  hasName(hostname: string, port: number): boolean;
  hasAddress(address: string, port: number): boolean;
}

interface Places {
  names: Set<string>;
  networks: Network[];
}

const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

const maxPort = 65_535;

/**
 * Parses host names, addresses and CIDRs. With a port (`hooks:8080`, `10.0.0.0/8:8080`, `[::1]:8080`,
 * `[fd00::/8]:8080`) an entry allows only that port. `problems` has a sentence for each entry that is none of these.
 */
export function readAllowedPrivate(entries: readonly string[]): { allowed: AllowedPrivate; problems: string[] } {
  const everyPort: Places = { names: new Set(), networks: [] };
  const byPort = new Map<number, Places>();
  const problems: string[] = [];
  for (const entry of entries) {
    const { target, port } = splitPort(entry);
    const places = port === undefined ? everyPort : (byPort.get(port) ?? { names: new Set(), networks: [] });
    const text = plainName(target);
    // Here a prefix may have leading zeros, as in 10.0.0.0/08.
    const network = parseNetwork(text.replace(/\/0+(?=\d)/, '/'));
    if (port !== undefined && (port < 1 || port > maxPort))
      problems.push(`${entry} should have a port from 1 to ${maxPort}`);
    else if (network) places.networks.push(network);
    else if (parseNetwork(text.replace(/\/.*/, ''))) problems.push(`${entry} is not a CIDR`);
    else if (hostName.test(text) && !/^[\d.]+$/.test(text)) {
      places.names.add(text);
    } else {
      problems.push(
        `${entry} should be a host name, an IP address or a CIDR, and may end with a port, as in [::1]:8080`,
      );
    }
    if (port !== undefined) byPort.set(port, places);
  }
  const at = (port: number) => [everyPort, ...(byPort.has(port) ? [byPort.get(port)!] : [])];
  return {
    problems,
    allowed: {
      hasName: (hostname, port) => at(port).some(({ names }) => names.has(plainName(hostname))),
      hasAddress: (address, port) => at(port).some(({ networks }) => isWithin(networks, address)),
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

/** Whether a network contains the address. The zone of an address, as in `fe80::1%eth0`, does not count. */
export function isWithin(networks: readonly Network[], address: string): boolean {
  const parsed = parseNetwork(address.replace(/%.*/s, ''));
  return parsed !== null && networks.some((network) => containsNetwork(mapped(network), mapped(parsed)));
}

/** IPv4 in its form of IPv6 (`::ffff:10.0.0.0/104`), since a name may resolve to such an address. */
function mapped({ words, prefix }: Network): Network {
  return words.length === 8 ? { words, prefix } : { words: [0, 0, 0, 0, 0, 0xffff, ...words], prefix: 96 + prefix };
}
