import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Outgoing connections use ports from 32768 (Linux) or 49152 on. Such a connection could occupy the port of a server
 * that has not started yet, or restarts. Below, only another server can. Ten thousand ports seldom collide.
 */
const range = { from: 20_000, to: 32_767 };

/** Far more than the servers of a machine. */
const maxTries = 100;

/**
 * The last ports that this process was given. Their servers may not listen yet: `npm start` chooses the port of the
 * gateway seconds before it starts the gateway. More than the servers of one start.
 */
const given: number[] = [];
const maxGiven = 100;

/** A port without a listener. Another process may use it first, so the caller must be ready to ask again. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(range.from, range.to + 1);
    if (given.includes(port)) continue;
    given.push(port);
    if (given.length > maxGiven) given.shift();
    const reason = await findListenError(port, host);
    if (reason === undefined) return port;
    if (attempt >= maxTries) throw new Error(`No port of ${host} can be listened on: ${reason}`);
  }
}

/** The error code of listening on `port` (`EADDRINUSE`, `EACCES`, ...), or undefined if it is free. */
export function findListenError(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
