import type { Bus } from './bus.ts';
import { type BusOptions, openConnection } from './connection.ts';
import { onHint, sendHint } from './hints.ts';
import { publish } from './publish.ts';
import { request } from './request.ts';
import { requestMany } from './request-many.ts';
import { createServer } from './serve.ts';

/** Connects for ever: waits for the first connection too, complaining in the log meanwhile. Throws when the options make no sense. */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const connection = await openConnection(options);
  const { nc } = connection;
  const server = createServer(connection);
  return {
    request: (contract, input, context) => request(connection, contract, input, context),
    requestMany: (contract, input, context) => requestMany(connection, contract, input, context),
    serve: server.serve,
    serveMany: server.serveMany,
    publish: (subject, payload, publishOptions) => publish(connection, subject, payload, publishOptions),
    hint: (contract, payload) => sendHint(connection, contract, payload),
    onHint: (contract, handler) => onHint(connection, contract, handler),
    state: () => ({ connected: connection.isConnected(), serverVersion: nc.info?.version ?? null }),
    onStatus: connection.onStatus,
    connected: connection.connected,
    async drain() {
      await server.drain();
      await nc.drain();
    },
  } as Partial<Bus> as Bus;
}
