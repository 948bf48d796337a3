import type { Socket } from 'node:net';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { AppError, coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import { gatherWrites } from '../sockets/gather-writes.ts';
import { lacksOf } from './server-version.ts';
import { type Names, namesUnder } from './subjects.ts';

export interface BusOptions {
  /** Comma-separated servers, `nats://user:password@host:port`; user and password of the first that names them go to all. */
  url: string;
  /** The name that the server shows for this connection. */
  name: string;
  /** Before every subject, queue group, stream and durable: letters, digits and `-`; empty for none. */
  prefix: string;
  log: Logger;
  /** How many copies the cluster keeps of a stream when it is made, 1 unless said. A stream that is there is only changed when this is given. */
  replicas?: number;
}

/** The connection and what all rooms of the bus need of it. */
export interface Connection {
  nc: NatsConnection;
  names: Names;
  log: Logger;
  replicas: number | undefined;
  isConnected(): boolean;
  /** Throws `unavailable` while there is no connection: what is published then would lie in a buffer and be sent minutes later. */
  requireConnected(): void;
  /** Resolves when connected, at once or later; rejects when the bus has closed. */
  connected(): Promise<void>;
  onStatus(listener: (connected: boolean) => void): () => void;
  /** The work's result; `unavailable` as soon as the connection is lost, since no answer comes over it any more. */
  whileConnected<T>(work: Promise<T>): Promise<T>;
}

// Fast enough that a restart of the server is a hiccup, slow enough that a thousand clients do not drown it; the client adds jitter.
const reconnectWaitMs = 250;
// A peer that vanished without a word is noticed after two unanswered pings, within 15 s instead of the client's six minutes.
const pingIntervalMs = 5_000;
const dialTimeoutMs = 5_000;
/** How often a server that cannot be reached is complained about. */
const complaintIntervalMs = 10_000;

/** Connects, waiting for the first connection as long as it takes, and stays connected for ever after. */
export async function openConnection(options: BusOptions): Promise<Connection> {
  const names = namesUnder(options.prefix);
  const nc = await dialUntilConnected(options);
  gatherWritesOf(nc);
  const listeners = new Set<(connected: boolean) => void>();
  let isConnected = true;
  const warnOfLacks = lacksWarner(options.log);
  warnOfLacks(nc);

  const change = (to: boolean): void => {
    if (isConnected === to) return;
    isConnected = to;
    if (to) {
      gatherWritesOf(nc);
      options.log.info({ server: nc.getServer() }, 'connected to NATS again');
      warnOfLacks(nc);
    } else if (!nc.isDraining()) {
      options.log.warn('lost the connection to NATS');
    }
    for (const listener of [...listeners]) listener(to);
  };
  const watch = async (): Promise<void> => {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect' || status.type === 'close') change(false);
      else if (status.type === 'reconnect') change(true);
      else if (status.type === 'error') options.log.error({ err: status.error }, 'NATS answered with an error');
    }
    change(false);
  };
  watch().catch((error: unknown) =>
    options.log.error({ err: coerceError(error) }, 'no longer watching the connection'),
  );

  const notConnected = () => new AppError('unavailable', 'There is no connection to NATS.', { retryAfterSeconds: 1 });
  return {
    nc,
    names,
    log: options.log,
    replicas: options.replicas,
    isConnected: () => isConnected,
    requireConnected() {
      if (!isConnected) throw notConnected();
    },
    connected() {
      if (isConnected) return Promise.resolve();
      if (nc.isClosed()) return Promise.reject(notConnected());
      return new Promise((resolve, reject) => {
        const listener = (connected: boolean): void => {
          if (!connected) return;
          listeners.delete(listener);
          resolve();
        };
        listeners.add(listener);
        nc.closed().then(() => reject(notConnected()), reject);
      });
    },
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async whileConnected(work) {
      let listener = (_connected: boolean): void => {};
      const lost = new Promise<never>((_, reject) => {
        listener = (connected) => connected || reject(notConnected());
        listeners.add(listener);
      });
      try {
        return await Promise.race([work, lost]);
      } finally {
        listeners.delete(listener);
      }
    },
  };
}

/**
 * The client writes whenever a chain of promises pauses, so that answers to requests that came in together would go out one by one. It
 * shows its socket to nobody, so this looks where it keeps it; should a newer one keep it elsewhere, they go out one by one.
 */
function gatherWritesOf(nc: NatsConnection): void {
  const { protocol } = nc as unknown as { protocol?: { transport?: { socket?: Socket } } };
  if (protocol?.transport?.socket) gatherWrites(protocol.transport.socket);
}

/** The client can wait by itself, but silently: somebody who mistyped the address must read so. */
async function dialUntilConnected(options: BusOptions): Promise<NatsConnection> {
  const { servers, ...credentials } = parseUrl(options.url);
  let complainedAt = 0;
  for (;;) {
    try {
      return await connect({
        servers,
        ...credentials,
        name: options.name,
        timeout: dialTimeoutMs,
        maxReconnectAttempts: -1,
        reconnectTimeWait: reconnectWaitMs,
        // A server that is being given its accounts refuses us for a moment: that too is waited out.
        ignoreAuthErrorAbort: true,
        pingInterval: pingIntervalMs,
        maxPingOut: 2,
        // A stack trace per request costs more than the request; ours are made where they are caught.
        noAsyncTraces: true,
      });
    } catch (error) {
      if (Date.now() - complainedAt >= complaintIntervalMs) {
        complainedAt = Date.now();
        options.log.warn({ servers, reason: coerceError(error).message }, 'no connection to NATS yet, trying on');
      }
      await new Promise((resolve) => setTimeout(resolve, reconnectWaitMs));
    }
  }
}

/** Splits the servers and takes user, password or token out of them: the client does not read those from an address. */
export function parseUrl(url: string): {
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
  tls?: object;
} {
  const texts = url.split(',').flatMap((part) => part.trim() || []);
  const parsed = texts.map((text) => {
    const withScheme = text.includes('://') ? text : `nats://${text}`;
    if (!URL.canParse(withScheme)) {
      throw new AppError('internal', 'The address of NATS should be nats://host:port, or several with commas between.');
    }
    return new URL(withScheme);
  });
  if (parsed.length === 0) throw new AppError('internal', 'The address of NATS is empty.');
  const named = parsed.find(({ username }) => username !== '');
  return {
    servers: parsed.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    ...(named && named.password === '' ? { token: decodeURIComponent(named.username) } : {}),
    ...(named && named.password !== ''
      ? { user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }
      : {}),
    ...(parsed.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  };
}

/** Warns at boot, and again only when another server answers than the last time. */
function lacksWarner(log: Logger): (nc: NatsConnection) => void {
  let warned = '';
  return ({ info }) => {
    if (!info) return;
    const lacks = lacksOf(info);
    const all = lacks.join();
    if (all === warned) return;
    warned = all;
    for (const lack of lacks) log.warn({ version: info.version, lack }, `nats-server ${info.version}: ${lack}`);
  };
}
