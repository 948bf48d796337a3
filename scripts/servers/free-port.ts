import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Systems give ports from 32768 (Linux) or 49152 on to outgoing connections. One of those would take the port of a server that is not up
 * yet, or down for a moment; below, only another server does. Ten thousand ports seldom collide.
 */
const range = { from: 20_000, to: 32_767 };

/** Far more than a machine has servers in a row. */
const maxTries = 100;

/**
 * A port that nobody listens on. Another process may take it before its user does, so whoever uses one must be
 * ready to ask again.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(range.from, range.to + 1);
    const reason = await whyNotFree(port, host);
    if (reason === undefined) return port;
    if (attempt === maxTries) throw new Error(`No port of ${host} can be listened on: ${reason}`);
  }
}

/** Why `port` cannot be listened on: the system's error code (`EADDRINUSE`, `EACCES`, ...), or undefined if it can. */
export function whyNotFree(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
