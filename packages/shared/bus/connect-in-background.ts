import { ConfigError } from '../config/index.ts';
import { AppError } from '../errors/index.ts';
import type { Bus } from './bus.ts';
import type { BusOptions } from './bus-options.ts';
import type { connectBus } from './connect-bus.ts';
import { parseUrl } from './dial.ts';

/**
 * A bus for a process that has work without NATS. States:
 *
 *   connecting -> NATS was never reached. Handlers of requests and hints are kept, and subscribed when it is reached.
 *                 Requests, publishes and all else that needs a server throw `unavailable`.
 *   connected  -> The server has processed the kept subscriptions. Everything is that of the connected bus, which
 *                 connects again by itself.
 *   drained    -> From `connecting`: no further attempt to connect is made.
 *
 * Listeners of `onStatus` are also called for the first connection. Throws when the address is invalid.
 */
export function connectInBackground(connect: typeof connectBus, options: BusOptions): Bus {
  parseUrl(options.url);
  const stopping = new AbortController();
  const first = Promise.withResolvers<Bus>();
  // A rejection is for those who wait for the connection.
  first.promise.catch(() => undefined);
  /** The bus that has the kept subscriptions, which the server may not have processed yet. */
  let reached: Bus | null = null;
  let connected: Bus | null = null;
  /** Why the last attempt failed. */
  let problem: string | null = null;
  const kept: ((bus: Bus) => void)[] = [];

  const notConnected = () =>
    new AppError('unavailable', 'There is no connection to NATS yet.', { retryAfterSeconds: 1 });

  function bus(): Bus {
    if (!connected) throw notConnected();
    return connected;
  }

  function whenReached(subscribe: (bus: Bus) => void): void {
    if (reached) subscribe(reached);
    else kept.push(subscribe);
  }

  async function run(): Promise<void> {
    const onWaiting = (reason: string) => {
      problem = reason;
    };
    reached = await connect({ ...options, onWaiting, signal: stopping.signal });
    for (const subscribe of kept.splice(0)) subscribe(reached);
    // The connection may be lost before the server has processed the subscriptions. The bus connects again.
    while (!stopping.signal.aborted && !(await isFlushed(reached))) await reached.connected();
    if (stopping.signal.aborted) return reached.drain();
    connected = reached;
    first.resolve(connected);
  }

  // Without its options a bus cannot work: the error ends the process.
  void run().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });

  return {
    request: async (...args) => bus().request(...args),
    async *requestItems(...args) {
      yield* bus().requestItems(...args);
    },
    async *requestParts(...args) {
      yield* bus().requestParts(...args);
    },
    requestAll: async (...args) => bus().requestAll(...args),
    serve: (...args) => whenReached((bus) => bus.serve(...args)),
    publish: async (...args) => bus().publish(...args),
    hint: (...args) => connected?.hint(...args),
    onHint: (...args) => whenReached((bus) => bus.onHint(...args)),
    ensureStreams: async (...args) => bus().ensureStreams(...args),
    streamInfo: async (...args) => bus().streamInfo(...args),
    lastSequence: async (...args) => bus().lastSequence(...args),
    getMessage: async (...args) => bus().getMessage(...args),
    onStreamRecreated: (...args) => bus().onStreamRecreated(...args),
    consume: async (...args) => bus().consume(...args),
    consumeBatches: async (...args) => bus().consumeBatches(...args),
    read: (...args) => bus().read(...args),
    state: () => connected?.state() ?? { connected: false, serverVersion: null, problem },
    streamProblem: () => connected?.streamProblem() ?? null,
    onStatus(listener) {
      if (connected) return connected.onStatus(listener);
      let remove = () => {};
      let isRemoved = false;
      first.promise.then(
        (bus) => {
          if (isRemoved) return;
          remove = bus.onStatus(listener);
          listener(true);
        },
        () => undefined,
      );
      return () => {
        isRemoved = true;
        remove();
      };
    },
    connected: async () => (await first.promise).connected(),
    flush: async () => bus().flush(),
    async drain() {
      stopping.abort();
      first.reject(notConnected());
      await connected?.drain();
    },
  };
}

async function isFlushed(bus: Bus): Promise<boolean> {
  try {
    await bus.flush();
    return true;
  } catch (error) {
    // Without its subscriptions a service cannot work.
    if (error instanceof ConfigError) throw error;
    return false;
  }
}
