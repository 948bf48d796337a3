// Proves: a server that has become silent is left, whatever of the messages sent to it the kernel still accepts. Does
// not prove how long that takes, which is the interval of the pings.

import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { expect, inject, test } from 'vitest';
import { type Connection, openConnection } from './connection.ts';
import { keepingLogger } from './testing/bus-rig.ts';

/** Passes connections on to NATS. */
async function startProxy() {
  const nats = new URL(inject('natsUrl'));
  const accepted: Socket[] = [];
  const server = createServer((client) => {
    const upstream = createConnection(Number(nats.port), nats.hostname);
    accepted.push(client);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(nats);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, accepted, url: url.href };
}

/** Sends the pings, which are seconds apart, closely after each other from now on. */
function hurryPings({ nc }: Connection): void {
  const { heartbeats } = (nc as unknown as { protocol: { heartbeats: { interval: number; start(): void } } }).protocol;
  heartbeats.interval = 100;
  heartbeats.start();
}

test('a server that reads nothing any more is left, with megabytes that it has not read', async () => {
  const { server, accepted, url } = await startProxy();
  const connection = await openConnection({ url, name: 'test', prefix: '', log: keepingLogger().log });
  try {
    const changes: boolean[] = [];
    const isBack = new Promise<void>((resolve) => {
      connection.onStatus((isConnected) => {
        changes.push(isConnected);
        if (isConnected) resolve();
      });
    });
    accepted[0]!.unpipe().pause();
    // More than the kernel buffers.
    for (let n = 0; n < 30; n += 1) connection.nc.publish('test.silent', new Uint8Array(1_000_000));
    hurryPings(connection);
    await isBack;
    expect(changes).toEqual([false, true]);
    await connection.nc.flush();
    expect(accepted).toHaveLength(2);
  } finally {
    await connection.nc.close();
    for (const socket of accepted) socket.destroy();
    server.close();
  }
});
