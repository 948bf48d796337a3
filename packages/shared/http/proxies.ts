import { plainName } from './allowed-private.ts';

/** The proxies by the scheme of the URL, and the hosts without a proxy. */
export interface Proxies {
  http: string | null;
  https: string | null;
  /** NO_PROXY as curl reads it: `name` (with subdomains), `.suffix`, `host:port`, an address, or `*` for every host. */
  none: readonly string[];
}

export function proxyFor(url: URL, { http, https, none }: Proxies): string | null {
  const proxy = url.protocol === 'https:' ? https : http;
  return proxy !== null && !none.some((entry) => isExcluded(url, entry)) ? proxy : null;
}

function isExcluded(url: URL, entry: string): boolean {
  if (entry === '*') return true;
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(isBareIpv6(entry) ? `[${entry}]` : entry) ?? [];
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  const name = plainName(host).replace(/^\*?\./, '');
  const called = plainName(url.hostname);
  return name !== '' && (called === name || called.endsWith(`.${name}`));
}

/** An IPv6 address without brackets, whose last group is not a port. */
function isBareIpv6(entry: string): boolean {
  return /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(entry);
}
