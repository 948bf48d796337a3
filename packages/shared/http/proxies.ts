import { plainName } from './allowed-private.ts';

/** Proxies by the scheme of the address that is called, and the hosts that are called without one. */
export interface Proxies {
  http: string | null;
  https: string | null;
  /** `name` (with all below it), `.suffix`, `host:port`, an address, or `*` for every host: the forms in which curl reads NO_PROXY. */
  none: readonly string[];
}

/** The proxy that a call goes through, or null. */
export function proxyFor(url: URL, { http, https, none }: Proxies): string | null {
  const proxy = url.protocol === 'https:' ? https : http;
  return proxy !== null && !none.some((entry) => isMeant(url, entry)) ? proxy : null;
}

function isMeant(url: URL, entry: string): boolean {
  if (entry === '*') return true;
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(isAddress6(entry) ? `[${entry}]` : entry) ?? [];
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  const name = plainName(host).replace(/^\*?\./, '');
  const called = plainName(url.hostname);
  return name !== '' && (called === name || called.endsWith(`.${name}`));
}

/** An IPv6 address without brackets, whose end is no port. */
function isAddress6(entry: string): boolean {
  return /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(entry);
}
