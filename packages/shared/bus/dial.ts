import { connect, type NatsConnection } from '@nats-io/transport-node';
import { LoginChoice, natsServersOf, natsUrlRule } from '../config/index.ts';
import { AppError, coerceError } from '../errors/index.ts';
import { closeOnFailure } from '../sockets/close-on-failure.ts';
import { tlsProblemOf } from '../sockets/tls-problem.ts';
import type { BusOptions } from './bus-options.ts';
import type { Inboxes } from './inboxes.ts';
import { createLogin, type NatsLogin } from './login.ts';

// Clients return soon after a restart, and a thousand of them do not overload the server. The client adds jitter.
const reconnectWaitMs = 250;
// A lost peer is detected after two unanswered pings: within 15 s, instead of the six minutes of the client's default.
const pingIntervalMs = 5_000;
const dialTimeoutMs = 5_000;
const warnIntervalMs = 10_000;

/** The login of the connections of these options. */
export function loginOf({ url, logins = () => [url] }: BusOptions): NatsLogin {
  return createLogin(new LoginChoice(logins), parseUrl);
}

/** Makes one attempt. The connection then reconnects by itself, to any server of the cluster, without a limit. */
export async function dial(
  { url, name, tls }: BusOptions,
  inboxes: Inboxes,
  login: NatsLogin,
): Promise<NatsConnection> {
  const { servers, tls: ofUrl } = parseUrl(url);
  const files = { caFile: tls?.ca, certFile: tls?.cert, keyFile: tls?.key };
  const given = Object.entries(files).filter(([, file]) => file !== undefined);
  const connecting = () =>
    connect({
      servers,
      authenticator: login.authenticator,
      ...((ofUrl || given.length > 0) && { tls: Object.fromEntries(given) }),
      name,
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
  const nc = await closeOnFailure(connecting);
  login.onConnected();
  return nc;
}

/** The client can wait by itself, but logs nothing. This loop warns, so that a wrong address is noticed. */
export async function dialUntilConnected(
  options: BusOptions,
  inboxes: Inboxes,
  login: NatsLogin,
): Promise<NatsConnection> {
  const { servers } = parseUrl(options.url);
  let warnedAt = 0;
  for (;;) {
    if (options.signal?.aborted) throw new AppError('unavailable', 'The process stops and no longer connects to NATS.');
    try {
      return await dial(options, inboxes, login);
    } catch (error) {
      const reason = dialProblem(error);
      options.onWaiting?.(reason);
      if (Date.now() - warnedAt >= warnIntervalMs) {
        warnedAt = Date.now();
        options.log.warn({ servers, reason }, 'no connection to NATS yet, retrying');
      }
      await new Promise((resolve) => setTimeout(resolve, reconnectWaitMs));
    }
  }
}

/** Why a server could not be reached, as a clause. */
export function dialProblem(error: unknown): string {
  const problem = tlsProblemOf(error);
  return problem === null ? coerceError(error).message : `the certificate of a NATS server ${problem}`;
}

/** Splits the servers from their user, password or token: the client does not read these from an address. */
export function parseUrl(url: string): {
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
  tls?: object;
} {
  const parsed = natsServersOf(url);
  if (parsed === null) throw new AppError('internal', `The address of NATS ${natsUrlRule}.`);
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
