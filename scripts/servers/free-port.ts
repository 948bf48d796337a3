import { createServer } from 'node:net';

/**
 * A port that nobody listens on. Another process may take it before its user does, so whoever uses one must be
 * ready to ask again.
 */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('The system gave no port number'));
      });
    });
  });
}

/** Why `port` cannot be listened on: the system's error code (`EADDRINUSE`, `EACCES`, ...), or undefined if it can. */
export function whyNotFree(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
