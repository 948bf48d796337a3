/** What a browser says of where a request comes from. */
export interface Origins {
  method: string;
  /** The host that was asked, with its port, past the proxies that are trusted. */
  host: string | undefined;
  /** The `origin` header. */
  origin: string | undefined;
  /** The `sec-fetch-site` header. */
  fetchSite: string | undefined;
}

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Whether a request that a cookie authenticates was made by a page of another site, and would change something. A browser names
 * the page's origin with every such request and a page cannot forge it; what is no browser names none, and needs no protection from itself.
 */
export function isCrossSite({ method, host, origin, fetchSite }: Origins): boolean {
  if (safeMethods.includes(method)) return false;
  if (fetchSite === 'cross-site') return true;
  return origin !== undefined && !isSameHost(origin, host);
}

function isSameHost(origin: string, host: string | undefined): boolean {
  const page = URL.parse(origin);
  // `null` is what a page without an origin of its own sends: a sandbox, a file.
  if (!page || host === undefined) return false;
  // By the page's protocol, so that a host with the default port is the host without it.
  return page.host === URL.parse(`${page.protocol}//${host}`)?.host;
}
