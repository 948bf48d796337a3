export interface Origins {
  isChange: boolean;
  /** The requested host with its port; from a trusted proxy, the host that the proxy was asked for. */
  host: string | undefined;
  /** Whether the caller uses HTTPS, to the gateway or to a trusted proxy. */
  isSecure: boolean;
  origin: string | undefined;
  fetchSite: string | undefined;
}

/** Where the page of a request is from, by a browser: this origin, or none, as for an address that a person typed. */
const ownSites = ['same-origin', 'none'];

/**
 * Whether a page of another origin made this request, which may change something and is authenticated by a cookie.
 * A browser sends the page's origin with each such request, and a page cannot forge it. Other programs send none and
 * need no protection. A navigation has no origin, but says from which site it comes.
 */
export function isCrossSite({ isChange, host, isSecure, origin, fetchSite }: Origins): boolean {
  if (!isChange) return false;
  if (fetchSite !== undefined && !ownSites.includes(fetchSite)) return true;
  return origin !== undefined && !isOwnOrigin(origin, host, isSecure);
}

function isOwnOrigin(origin: string, host: string | undefined, isSecure: boolean): boolean {
  const page = URL.parse(origin);
  // A page without an origin, such as a sandbox or a file, sends `null`.
  if (!page || host === undefined) return false;
  // An attacker in the network can forge a page of http:. A proxy that is not trusted may have ended HTTPS, so a page
  // of https: may belong to a request that is not.
  if (isSecure && page.protocol !== 'https:') return false;
  // With the page's protocol, the default port of the host is dropped.
  return page.host === URL.parse(`${page.protocol}//${host}`)?.host;
}
