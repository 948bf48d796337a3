import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** The sockets of an attempt; null once the attempt has succeeded, because what it has opened lives on. */
interface Attempt {
  sockets: Socket[] | null;
}

const attempts = new AsyncLocalStorage<Attempt>();
subscribe('net.client.socket', (message) => {
  attempts.getStore()?.sockets?.push((message as { socket: Socket }).socket);
});

/**
 * Returns the result of the attempt. When it fails, all sockets that it has opened are destroyed. For clients that
 * leave a socket open when they give up waiting for the server, as that of NATS does (nats-io/nats.js issue 64).
 */
export async function closeOnFailure<T>(attempt: () => Promise<T>): Promise<T> {
  const opened: Attempt = { sockets: [] };
  try {
    return await attempts.run(opened, attempt);
  } catch (error) {
    for (const socket of opened.sockets ?? []) socket.destroy();
    throw error;
  } finally {
    opened.sockets = null;
  }
}
