import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Headers that say how the message is framed, routed or compressed: the client's own business. */
const ownHeaders = new Set([
  ...['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'te', 'trailer', 'upgrade', 'expect'],
  ...['accept-encoding', 'proxy-connection', 'proxy-authorization'],
]);

/** Why these headers cannot be sent, or null. Names no value: it may be a secret. */
export function headerFault(headers: Record<string, string>): string | null {
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.has(name.toLowerCase())) return `the header ${name} cannot be set`;
    try {
      validateHeaderName(name);
    } catch {
      return `${JSON.stringify(name.slice(0, 100))} is no header name`;
    }
    try {
      validateHeaderValue(name, value);
    } catch {
      return `the value of the header ${name} has a character that a header cannot carry`;
    }
  }
  return null;
}
