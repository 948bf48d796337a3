import { z } from 'zod';

export const natsUrlRule = 'should be nats://host:port, or several with commas between';

/** The servers, comma-separated: each `nats://`, `tls://` or without a scheme. Null when one is not so. */
export function natsServersOf(text: string): URL[] | null {
  const addresses = text.split(',').flatMap((part) => part.trim() || []);
  const servers = addresses.flatMap((address) => {
    const url = URL.parse(address.includes('://') ? address : `nats://${address}`);
    return url?.hostname && ['nats:', 'tls:'].includes(url.protocol) ? [url] : [];
  });
  return servers.length > 0 && servers.length === addresses.length ? servers : null;
}

/** The message has no address, because an address may have a password. */
export const natsUrl = z.string().refine((text) => natsServersOf(text) !== null, natsUrlRule);
