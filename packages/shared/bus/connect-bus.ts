import { ConfigError } from '../config/index.ts';
import type { Bus } from './bus.ts';
import type { BusOptions } from './bus-options.ts';
import { openConnection } from './connection.ts';
import { consume, consumeBatches } from './consume.ts';
import { unavailable } from './failures.ts';
import { onHint, sendHint } from './hints.ts';
import { publish } from './publish.ts';
import { read } from './read.ts';
import { createReplyInbox } from './reply-inbox.ts';
import { request, requestItems, requestParts } from './request.ts';
import { requestAll } from './request-all.ts';
import { createServer } from './serve.ts';
import { requireReplication } from './server-version.ts';
import { createStreams } from './streams.ts';
import { within } from './waiting.ts';

/** A process has 10 s to stop: 8 s for the work in flight, the rest for closing. */
const drainLimitMs = 8_000;
const closeLimitMs = 1_000;

/**
 * Connects. Retries with warnings until the first connection is made. Throws when the options are invalid, when the
 * server is too old for them, or when NATS belongs to another system.
 */
export async function connectBus(options: BusOptions): Promise<Bus> {
  const connection = await openConnection(options);
  const { nc, log } = connection;
  const streams = await createStreams(connection, options.system);
  try {
    requireReplication(nc.info?.version, options.shape?.replicas);
    await streams.join();
  } catch (error) {
    streams.stop();
    await within(closeLimitMs, nc.close());
    throw error;
  }
  const server = createServer(connection, (contract) => {
    streams.requireJoined();
    options.admit?.(contract);
  });
  const acknowledgements = createReplyInbox(nc, connection.inboxes.fromServer(), connection.onDenied);
  const stops = new Set<() => Promise<void>>();
  const stopWithBus = <T extends { stop(): Promise<void> }>(started: T): T => {
    const stop = () => started.stop().finally(() => stops.delete(stop));
    stops.add(stop);
    return { ...started, stop };
  };
  let drained: Promise<void> | null = null;

  const drain = async (): Promise<void> => {
    const work = Promise.allSettled([server.drain(), ...[...stops].map((stop) => stop())]);
    if (!(await within(drainLimitMs, work))) log.warn({ drainLimitMs }, 'the bus did not drain in time');
    streams.stop();
    // `nc.drain()` sends what is buffered, which needs a server.
    if (!connection.isConnected() || !(await within(closeLimitMs, nc.drain()))) await within(closeLimitMs, nc.close());
  };

  return {
    request: (contract, input, context) => request(connection, contract, input, context),
    requestItems: (contract, input, context) => requestItems(connection, contract, input, context),
    requestParts: (contract, input, context) => requestParts(connection, contract, input, context),
    requestAll: (contract, input, context) => requestAll(connection, contract, input, context),
    serve: server.serve,
    publish: (subject, payload, publishOptions) =>
      publish(connection, acknowledgements, subject, payload, publishOptions),
    hint: (contract, payload) => sendHint(connection, contract, payload),
    onHint: (contract, handler) => onHint(connection, contract, handler),
    ensureStreams: streams.ensure,
    streamInfo: streams.info,
    lastSequence: streams.lastSequence,
    getMessage: streams.getMessage,
    onStreamRecreated: streams.onRecreated,
    consume: async (consumeOptions, handler) =>
      stopWithBus(await consume(connection, streams, consumeOptions, handler)),
    consumeBatches: async (consumeOptions, handler) =>
      stopWithBus(await consumeBatches(connection, streams, consumeOptions, handler)),
    read: (readOptions, handler) => stopWithBus(read(connection, streams, readOptions, handler)),
    state: () => ({
      connected: connection.isConnected(),
      serverVersion: nc.info?.version ?? null,
      problem: connection.problem(),
    }),
    streamProblem: streams.problem,
    onStatus: connection.onStatus,
    connected: connection.connected,
    async flush() {
      connection.requireConnected();
      await nc.flush().catch((error: unknown) => {
        throw unavailable('The connection to NATS was lost.', error);
      });
      // The client reports a refused subscription a moment after it has read it.
      await new Promise((resolve) => setImmediate(resolve));
      const denied = connection.deniedSubscriptions();
      if (denied !== null) throw new ConfigError(denied);
    },
    drain() {
      drained ??= drain();
      return drained;
    },
  };
}
