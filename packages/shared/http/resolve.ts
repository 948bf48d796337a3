import { promises as dns } from 'node:dns';

export interface Address {
  address: string;
  family: 4 | 6;
}

/** Every address of a name. */
export type Resolve = (hostname: string) => Promise<Address[]>;

/** Two tries of a name server take 1.5 s and the double of it, within the time of a connection. */
const patience = { timeout: 1_500, tries: 2 };

/**
 * Asks the name servers over sockets of its own, and not as getaddrinfo does on one of the four threads that the process shares with its
 * files: some names whose servers hang would hold up every other call. What they do not know (the hosts file, a search domain, a
 * name without a dot) is then asked of the system; a name server that does not answer is not.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new dns.Resolver(patience);
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    if (!hostname.includes('.')) return lookup(hostname);
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value.map((address): Address => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address): Address => ({ address, family: 6 })) : []),
    ];
    if (addresses.length > 0) return addresses;
    for (const result of [four, six]) {
      if (result.status === 'rejected' && result.reason.code === dns.TIMEOUT) throw result.reason;
    }
    return lookup(hostname);
  };
}

async function lookup(hostname: string): Promise<Address[]> {
  return (await dns.lookup(hostname, { all: true })) as unknown as Address[];
}
