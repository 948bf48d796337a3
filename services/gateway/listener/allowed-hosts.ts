import { isIP } from 'node:net';
import { AppError } from '@yardarm/shared/errors';

/** Throws `validation` when the Host header names another host. */
export type HostCheck = (host: string | undefined) => void;

/**
 * Refuses requests to other host names. A page whose own name resolves to the address of the gateway would otherwise be
 * of the same origin to its browser, which then shows it the answers (DNS rebinding). IP addresses always pass, because
 * no page can make them resolve to another machine. Without names every host passes. Ports do not count.
 */
export function createHostCheck(names: readonly string[]): HostCheck {
  if (names.length === 0) return () => {};
  const allowed = new Set(names.map((name) => name.toLowerCase()));
  return (host) => {
    // Only HTTP/1.0 allows a request without the header, and no browser sends one.
    if (host === undefined) return;
    const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
    if (allowed.has(name) || isAddress(name)) return;
    throw new AppError(
      'validation',
      `The host header should name an IP address or one of ${[...allowed].join(', ')} (ALLOWED_HOSTS). You sent ${JSON.stringify(host.slice(0, 100))}.`,
    );
  };
}

function isAddress(name: string): boolean {
  return isIP(name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name) !== 0;
}
