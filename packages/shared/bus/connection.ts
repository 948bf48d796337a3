import { connect, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { LoginChoice, type Logins } from '../config/index.ts';
import { AppError, coerceError } from '../errors/index.ts';
import { socketOfNats } from '../internals/index.ts';
import type { Logger } from '../log/index.ts';
import { gatherWrites } from '../sockets/gather-writes.ts';
import { type Inboxes, inboxesOf } from './inboxes.ts';
import { createLogin, type NatsLogin } from './login.ts';
import { createReplyInbox, type ReplyInbox } from './reply-inbox.ts';
import { serverWarnings } from './server-version.ts';
import type { StreamOwner } from './stream-owner.ts';
import { type Names, namesUnder } from './subjects.ts';

export interface BusOptions {
  /** Comma-separated servers, `nats://user:password@host:port`. The first credentials are used for all servers. */
  url: string;
  /** The logins that new connections may use instead, as URLs: those of a file, whose content changes. */
  logins?: Logins;
  /** The service. Its inboxes are below this name, and other services answer there. */
  name: string;
  /** The prefix of every subject, queue group, stream and durable: letters, digits and `-`; empty for none. */
  prefix: string;
  log: Logger;
  /** The replicas of a stream, 1 by default. An existing stream is changed only when this is given. */
  replicas?: number;
  /** For a process with a database: EVENTS has to carry the id of the same system. */
  system?: StreamOwner;
  /** Ends the attempts to make the first connection: `unavailable` is thrown. */
  signal?: AbortSignal;
}

export interface Connection {
  nc: NatsConnection;
  /** The name of the service, below which it has its inboxes. */
  name: string;
  prefix: string;
  names: Names;
  inboxes: Inboxes;
  log: Logger;
  replicas: number | undefined;
  isConnected(): boolean;
  /** Throws `unavailable` without a connection. The client would buffer a message and send it minutes later. */
  requireConnected(): void;
  /** Resolves when connected or when the signal aborts. Rejects when the bus has closed. */
  connected(signal?: AbortSignal): Promise<void>;
  onStatus(listener: (connected: boolean) => void): () => void;
  /** Sends requests that the service answers. */
  replyInboxOf(service: string): ReplyInbox;
  /** Calls the listener when the server refuses a message. Returns the function that removes the listener. */
  onDenied(listener: (denied: PermissionViolationError) => void): () => void;
  /** The first subscription that the server has refused: it gets no messages, so its service cannot work. */
  deniedSubscription(): string | null;
  /** Returns the result of the work. Throws `unavailable` as soon as the connection is lost. */
  whileConnected<T>(work: Promise<T>): Promise<T>;
}

// Clients return soon after a restart, and a thousand of them do not overload the server. The client adds jitter.
const reconnectWaitMs = 250;
// A lost peer is detected after two unanswered pings: within 15 s, instead of the six minutes of the client's default.
const pingIntervalMs = 5_000;
const dialTimeoutMs = 5_000;
const warnIntervalMs = 10_000;

/** Waits for the first connection without a limit, and reconnects whenever the connection is lost. */
export async function openConnection(options: BusOptions): Promise<Connection> {
  const names = namesUnder(options.prefix);
  const inboxes = inboxesOf(options.name, names.subject);
  const login = createLogin(new LoginChoice(options.logins ?? (() => [options.url])), parseUrl);
  const nc = await dialUntilConnected(options, inboxes, login);
  gatherWritesOf(nc);
  const listeners = new Set<(connected: boolean) => void>();
  const denied = new Set<(denied: PermissionViolationError) => void>();
  const answers = new Map<string, ReplyInbox>();
  let deniedSubscription: string | null = null;
  let isConnected = true;
  const warnOfServer = serverWarner(options.log);
  warnOfServer(nc);

  const change = (to: boolean): void => {
    if (isConnected === to) return;
    isConnected = to;
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
    const { operation, subject } = error;
    if (operation === 'subscription') deniedSubscription ??= subject;
    options.log.error(
      { operation, subject, user: options.name },
      'NATS refuses this subject: the user of NATS_URL lacks the permission',
    );
    for (const listener of [...denied]) listener(error);
  };
  const watch = async (): Promise<void> => {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect' || status.type === 'close') change(false);
      else if (status.type === 'reconnect') change(true);
      else if (status.type === 'error' && status.error instanceof PermissionViolationError) deny(status.error);
      else if (status.type === 'error') options.log.error({ err: status.error }, 'NATS reported an error');
    }
    change(false);
  };
  watch().catch((error: unknown) => options.log.error({ err: coerceError(error) }, 'watching the connection failed'));

  const onDenied = (listener: (error: PermissionViolationError) => void) => {
    denied.add(listener);
    return () => denied.delete(listener);
  };
  const notConnected = () => new AppError('unavailable', 'There is no connection to NATS.', { retryAfterSeconds: 1 });
  return {
    nc,
    name: options.name,
    prefix: options.prefix,
    names,
    inboxes,
    log: options.log,
    replicas: options.replicas,
    isConnected: () => isConnected,
    requireConnected() {
      if (!isConnected) throw notConnected();
    },
    connected(signal) {
      if (isConnected || signal?.aborted) return Promise.resolve();
      if (nc.isClosed()) return Promise.reject(notConnected());
      return new Promise((resolve, reject) => {
        const end = (): void => {
          listeners.delete(listener);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const listener = (connected: boolean): void => {
          if (connected) end();
        };
        listeners.add(listener);
        signal?.addEventListener('abort', end);
        nc.closed().then(() => reject(notConnected()), reject);
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
    deniedSubscription: () => deniedSubscription,
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

/** The client can wait by itself, but logs nothing. This loop warns, so that a wrong address is noticed. */
async function dialUntilConnected(options: BusOptions, inboxes: Inboxes, login: NatsLogin): Promise<NatsConnection> {
  const { servers, tls } = parseUrl(options.url);
  let warnedAt = 0;
  for (;;) {
    if (options.signal?.aborted) throw new AppError('unavailable', 'The process stops and no longer connects to NATS.');
    try {
      const nc = await connect({
        servers,
        ...(tls && { tls }),
        authenticator: login.authenticator,
        name: options.name,
        inboxPrefix: inboxes.own,
        timeout: dialTimeoutMs,
        maxReconnectAttempts: -1,
        reconnectTimeWait: reconnectWaitMs,
        // A server whose accounts are being set up rejects the credentials for a moment.
        ignoreAuthErrorAbort: true,
        pingInterval: pingIntervalMs,
        maxPingOut: 2,
        // A stack trace per request costs more than the request.
        noAsyncTraces: true,
      });
      login.onConnected();
      return nc;
    } catch (error) {
      if (Date.now() - warnedAt >= warnIntervalMs) {
        warnedAt = Date.now();
        options.log.warn({ servers, reason: coerceError(error).message }, 'no connection to NATS yet, retrying');
      }
      await new Promise((resolve) => setTimeout(resolve, reconnectWaitMs));
    }
  }
}

/** Splits the servers from their user, password or token: the client does not read these from an address. */
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

/** Warns at the first connection, and again when the warnings of the server have changed. */
function serverWarner(log: Logger): (nc: NatsConnection) => void {
  let warned = '';
  return ({ info }) => {
    if (!info) return;
    const warnings = serverWarnings(info);
    const all = warnings.join();
    if (all === warned) return;
    warned = all;
    for (const warning of warnings) {
      log.warn({ version: info.version, warning }, `nats-server ${info.version}: ${warning}`);
    }
  };
}
