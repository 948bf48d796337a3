import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** Passes connections on to the first of several ports that accepts one. */
export interface Balancer {
  port: number;
  /** Ends the connections that are open. New ones are passed on to the ports of that moment. */
  cut(): void;
  close(): void;
}

export async function startBalancer(portsNow: () => number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();

  function pass(inner: Socket, [port, ...others]: number[]): void {
    if (port === undefined) return void inner.destroy();
    const outer = connect(port, '127.0.0.1');
    outer.once('error', () => pass(inner, others));
    outer.once('connect', () => {
      outer.removeAllListeners('error').on('error', () => undefined);
      inner.pipe(outer);
      outer.pipe(inner);
      // A killed process resets its connections, and so does a balancer then.
      outer.once('close', () => inner.destroy());
      inner.once('close', () => outer.destroy());
    });
  }

  const server = createServer((inner) => {
    sockets.add(inner);
    inner.on('error', () => undefined);
    inner.once('close', () => sockets.delete(inner));
    pass(inner, portsNow());
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close() {
      server.close();
      cut();
    },
  };
}
