import { promises as dns } from 'node:dns';

export interface Address {
  address: string;
  family: 4 | 6;
}

export type Resolve = (hostname: string) => Promise<Address[]>;

/** Two tries take 1.5 s and 3 s, which is within the connect timeout. */
const resolverOptions = { timeout: 1_500, tries: 2 };

/**
 * Queries the name servers over its own sockets. getaddrinfo would use one of the four threads that the process shares
 * with file I/O, so a few names whose servers hang would delay every other call. The system resolves the names that the
 * servers do not know (hosts file, search domains, names without a dot). A timeout of a name server is not passed to
 * the system.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new dns.Resolver(resolverOptions);
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
