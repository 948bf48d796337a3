import { type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { AppError, coerceError } from '../errors/index.ts';
import { socketOfNats } from '../internals/index.ts';
import type { Logger } from '../log/index.ts';
import { gatherWrites } from '../sockets/gather-writes.ts';
import type { BusOptions, StreamShape } from './bus-options.ts';
import { createDenials } from './denials.ts';
import { dialUntilConnected, loginOf } from './dial.ts';
import { type Inboxes, inboxesOf } from './inboxes.ts';
import { watchOutages } from './outages.ts';
import { createReplyInbox, type ReplyInbox } from './reply-inbox.ts';
import { serverWarnings } from './server-version.ts';
import { type Names, namesUnder } from './subjects.ts';

export interface Connection {
  nc: NatsConnection;
  /** The name of the service, below which it has its inboxes. */
  name: string;
  prefix: string;
  names: Names;
  inboxes: Inboxes;
  log: Logger;
  shape: StreamShape;
  isConnected(): boolean;
  /** Why there is no connection, as far as it is known, or the subscriptions that it lacks; else null. */
  problem(): string | null;
  /** Throws `unavailable` without a connection. The client would buffer a message and send it minutes later. */
  requireConnected(): void;
  /** Resolves when connected or when the signal aborts. Rejects when the bus has closed. */
  connected(signal?: AbortSignal): Promise<void>;
  onStatus(listener: (connected: boolean) => void): () => void;
  /** Sends requests that the service answers. */
  replyInboxOf(service: string): ReplyInbox;
  /** Calls the listener when the server refuses a message. Returns the function that removes the listener. */
  onDenied(listener: (denied: PermissionViolationError) => void): () => void;
  /** A sentence on the subscriptions that the server has refused, without which the service cannot work; else null. */
  deniedSubscriptions(): string | null;
  /** Returns the result of the work. Throws `unavailable` as soon as the connection is lost. */
  whileConnected<T>(work: Promise<T>): Promise<T>;
}

/** Waits for the first connection without a limit, and reconnects whenever the connection is lost. */
export async function openConnection(options: BusOptions): Promise<Connection> {
  const names = namesUnder(options.prefix);
  const inboxes = inboxesOf(options.name, names.subject);
  const login = loginOf(options);
  const nc = await dialUntilConnected(options, inboxes, login);
  gatherWritesOf(nc);
  const listeners = new Set<(connected: boolean) => void>();
  /** Those who wait for a connection, of which there will be none once the bus has closed. */
  const waiting = new Set<(error: AppError) => void>();
  const denied = new Set<(denied: PermissionViolationError) => void>();
  const answers = new Map<string, ReplyInbox>();
  const denials = createDenials(options.name, options.log);
  let isConnected = true;
  const notConnected = () => new AppError('unavailable', 'There is no connection to NATS.', { retryAfterSeconds: 1 });
  const warnOfServer = serverWarner(options);
  warnOfServer(nc);
  const outages = watchOutages(options, inboxes);

  const change = (to: boolean): void => {
    if (isConnected === to) return;
    isConnected = to;
    if (to) outages.end();
    else if (!nc.isDraining() && !nc.isClosed()) outages.begin();
    if (to) {
      login.onConnected();
      gatherWritesOf(nc);
      options.log.info({ server: nc.getServer() }, 'connected to NATS again');
      warnOfServer(nc);
    } else if (!nc.isDraining()) {
      options.log.warn('lost the connection to NATS');
    }
    for (const listener of [...listeners]) listener(to);
  };
  const deny = (error: PermissionViolationError): void => {
    denials.add(error);
    for (const listener of [...denied]) listener(error);
  };
  const watch = async (): Promise<void> => {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect' || status.type === 'close') change(false);
      else if (status.type === 'reconnect') change(true);
      // The client first waits until the server has accepted all that was sent, which a silent one never does.
      else if (status.type === 'staleConnection') socketOfNats(nc)?.destroy();
      else if (status.type === 'error' && status.error instanceof PermissionViolationError) deny(status.error);
      else if (status.type === 'error') options.log.error({ err: status.error }, 'NATS reported an error');
    }
    change(false);
    outages.end();
    for (const reject of [...waiting]) reject(notConnected());
  };
  watch().catch((error: unknown) => options.log.error({ err: coerceError(error) }, 'watching the connection failed'));

  const onDenied = (listener: (error: PermissionViolationError) => void) => {
    denied.add(listener);
    return () => denied.delete(listener);
  };
  return {
    nc,
    name: options.name,
    prefix: options.prefix,
    names,
    inboxes,
    log: options.log,
    shape: options.shape ?? {},
    isConnected: () => isConnected,
    problem: () => (isConnected ? denials.problemUntilRestart() : outages.problem()),
    requireConnected() {
      if (!isConnected) throw notConnected();
    },
    connected(signal) {
      if (isConnected || signal?.aborted) return Promise.resolve();
      if (nc.isClosed()) return Promise.reject(notConnected());
      return new Promise((resolve, reject) => {
        const end = (): void => {
          listeners.delete(listener);
          waiting.delete(reject);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const listener = (connected: boolean): void => {
          if (connected) end();
        };
        listeners.add(listener);
        signal?.addEventListener('abort', end);
        waiting.add(reject);
      });
    },
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    replyInboxOf(service) {
      const known = answers.get(service) ?? createReplyInbox(nc, inboxes.from(service), onDenied);
      answers.set(service, known);
      return known;
    },
    onDenied,
    deniedSubscriptions: denials.problem,
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
 * The client writes each answer on its own, even when the requests arrived together. This gathers the writes of its
 * socket, which is another one after each reconnect.
 */
function gatherWritesOf(nc: NatsConnection): void {
  const socket = socketOfNats(nc);
  if (socket) gatherWrites(socket);
}

/** Warns at the first connection, and again when the warnings of the server have changed. */
function serverWarner({ log, shape }: BusOptions): (nc: NatsConnection) => void {
  let warned = '';
  return ({ info }) => {
    if (!info) return;
    const warnings = serverWarnings(info, shape?.replicas);
    const all = warnings.join();
    if (all === warned) return;
    warned = all;
    for (const warning of warnings) {
      log.warn({ version: info.version, warning }, `nats-server ${info.version}: ${warning}`);
    }
  };
}
