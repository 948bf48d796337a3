export interface Origins {
  method: string;
  /** The requested host with its port; from a trusted proxy, the host that the proxy was asked for. */
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
}

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Whether a page of another site made this request, which may change something and is authenticated by a cookie.
 * A browser sends the page's origin with each such request, and a page cannot forge it. Other programs send none and
 * need no protection.
 */
export function isCrossSite({ method, host, origin, fetchSite }: Origins): boolean {
  if (safeMethods.includes(method)) return false;
  if (fetchSite === 'cross-site') return true;
  return origin !== undefined && !isSameHost(origin, host);
}

function isSameHost(origin: string, host: string | undefined): boolean {
  const page = URL.parse(origin);
  // A page without an origin, such as a sandbox or a file, sends `null`.
  if (!page || host === undefined) return false;
  // With the page's protocol, the default port of the host is dropped.
  return page.host === URL.parse(`${page.protocol}//${host}`)?.host;
}
