import { validateHeaderName, validateHeaderValue } from 'node:http';

/** The client sets the headers for framing, routing and compression itself. */
const reservedHeaders = new Set([
  ...['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'te', 'trailer', 'upgrade', 'expect'],
  ...['accept-encoding', 'proxy-connection', 'proxy-authorization'],
]);

/** Returns why the headers cannot be sent, or null. The text has no header value, which may be a secret. */
export function headerProblem(headers: Record<string, string>): string | null {
  for (const [name, value] of Object.entries(headers)) {
    if (reservedHeaders.has(name.toLowerCase())) return `the header ${name} cannot be set`;
    try {
      validateHeaderName(name);
    } catch {
      return `${JSON.stringify(name.slice(0, 100))} is not a header name`;
    }
    try {
      validateHeaderValue(name, value);
    } catch {
      return `the value of the header ${name} has a character that a header cannot carry`;
    }
  }
  return null;
}
