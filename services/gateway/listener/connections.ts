import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '@yardarm/shared/auth';
import { acceptedBytes, stopParsing } from '@yardarm/shared/internals';
import { closedConnections, openConnections } from '../metrics.ts';
import { inOneSlice, TimeShares } from '../time-shares.ts';

/**
 * An SDK, a browser and a proxy send a request after the answer to the one before. A client that pipelines more gets
 * its answers sooner over a second connection.
 */
const maxUnanswered = 16;

/** Longer than a train needs for a tunnel. The memory of an answer that is not read is bounded by this time. */
const stallTimeoutMs = 30_000;

/** Often enough that a stalled connection is closed soon after its time. Ten thousand connections take milliseconds. */
const sweepsPerTimeout = 6;

export interface ConnectionLimits {
  /** How many connections are open at once. */
  connections?: number;
  /** The same for each address, of IPv6 each network of a customer; 0 is no limit. */
  perAddress?: number;
  stallTimeoutMs?: number;
}

interface Connection {
  /** The address, or the network of an IPv6 address: one customer has 2^64 of these. */
  network: string;
  /** The idle connections of its server. */
  idle: Set<Socket>;
  unanswered: number;
  /** The answer that the client gets next; undefined while it has all of them. */
  current: ServerResponse | undefined;
  /** Begin the requests after it, in their order. */
  waiting: (() => void)[];
  /** Bytes that the kernel had accepted at the last sweep at which others waited. */
  accepted: number;
  /** When it had not accepted more for the first time; undefined while nothing waits. */
  stalledSince: number | undefined;
}

const connectionOf = new WeakMap<Socket, Connection>();

/**
 * Requests that waited for an answer on their connection have half of the process, by turns of the addresses. One after
 * the other, those of 300 connections kept all others waiting for seconds.
 */
const pipelined = new TimeShares({ restFromMs: 0, maxWaiting: Number.POSITIVE_INFINITY, works: 'requests' });

/**
 * The connections of the public listener. States:
 *
 *   refused  The limit, or that of the address, is reached: closed before a byte is read.
 *   silent   No request has come yet. At the limit the oldest silent one is closed for each that arrives, so that
 *            connections without requests keep no client out.
 *   idle     No request is unanswered. Node closes it, when the head of the next request does not come in time. At the
 *            limit, and without a silent one, the one that is idle for the longest time is closed: else connections
 *            with a request a minute keep every new client out, for as long as they like.
 *   busy     1 to `maxUnanswered` requests are unanswered. The first is being answered, the others wait for it, and
 *            then for a turn: memory has one answer for each connection. One more request closes it.
 *   stalled  Bytes of an answer wait in this process, or the gateway has ended its side and the client has not. It is
 *            closed when the kernel has accepted no byte for `stallTimeoutMs`, and busy again when it accepts one.
 *   closed   It counts no more.
 *
 * The kernel accepts more when a third of its buffer is free. So a client has to read that much in the time, at most
 * 1.4 MB with Linux's largest buffer of 4 MB, of an answer that is larger than this buffer.
 *
 * A stream that has nothing to send is busy: no byte waits. A client that reads a byte now and then keeps its
 * connection. Its answer is shared with others (documents, listings) or sent piece by piece (lists, exports).
 */
export class Connections {
  readonly #open = new Set<Socket>();
  /** The oldest comes first. */
  readonly #silent = new Set<Socket>();
  /** Those whose last answer is the longest ago come first. */
  readonly #idle = new Set<Socket>();
  readonly #limit: number;
  readonly #perNetwork = new Map<string, number>();
  readonly #addressLimit: number;
  readonly #stallTimeoutMs: number;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#addressLimit = limits.perAddress || Number.POSITIVE_INFINITY;
    this.#stallTimeoutMs = limits.stallTimeoutMs ?? stallTimeoutMs;
    this.#limit = limits.connections ?? Number.POSITIVE_INFINITY;
    server.on('connection', (socket) => this.#accept(socket));
    const timer = setInterval(() => this.#sweep(), this.#stallTimeoutMs / sweepsPerTimeout);
    timer.unref();
    server.once('close', () => clearInterval(timer));
  }

  get open(): Iterable<Socket> {
    return this.#open;
  }

  /** Calls the app when the requests before this one on its connection are answered, unless that closes it. */
  serve(request: IncomingMessage, response: ServerResponse<IncomingMessage>, app: RequestListener): void {
    const { socket } = request;
    const connection = connectionOf.get(socket);
    // The gateway has ended its side: no client would get the answer.
    if (!connection || !socket.writable) return;
    if (connection.unanswered >= maxUnanswered) {
      close(socket, 'pipelined');
      stopParsing(socket);
      return;
    }
    if (connection.unanswered === 0 && !this.#idle.delete(socket)) this.#silent.delete(socket);
    connection.unanswered += 1;
    response.on('close', recordAnswered);
    if (connection.unanswered === 1) {
      connection.current = response;
      app(request, response);
    } else
      connection.waiting.push(() => {
        connection.current = response;
        app(request, response);
      });
  }

  /**
   * Whether the client reads an answer that is written now as that to its last bytes, which are no request or the rest
   * of one: no other answer waits or has begun.
   */
  canAnswer(socket: Socket): boolean {
    const { unanswered = 0, current } = connectionOf.get(socket) ?? {};
    const isRestOfRequest = unanswered === 1 && !current!.req.complete && !current!.headersSent;
    return socket.writable && (unanswered === 0 || isRestOfRequest);
  }

  hasUnanswered(socket: Socket): boolean {
    return (connectionOf.get(socket)?.unanswered ?? 0) > 0;
  }

  #accept(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? '');
    const ofNetwork = this.#perNetwork.get(network) ?? 0;
    if (ofNetwork >= this.#addressLimit) {
      close(socket, 'address-limit');
      return;
    }
    if (this.#open.size >= this.#limit) {
      const [silent] = this.#silent;
      const [idle] = this.#idle;
      const oldest = silent ?? idle;
      if (oldest) this.#remove(oldest);
      close(oldest ?? socket, 'limit');
      if (!oldest) return;
    }
    // What was closed may have been the last one of the network.
    this.#perNetwork.set(network, (this.#perNetwork.get(network) ?? 0) + 1);
    this.#open.add(socket);
    this.#silent.add(socket);
    connectionOf.set(socket, {
      ...{ network, idle: this.#idle },
      ...{ unanswered: 0, current: undefined, waiting: [] },
      ...{ accepted: 0, stalledSince: undefined },
    });
    openConnections.inc();
    socket.once('close', () => this.#remove(socket));
  }

  #remove(socket: Socket): void {
    if (!this.#open.delete(socket)) return;
    this.#silent.delete(socket);
    this.#idle.delete(socket);
    const { network } = connectionOf.get(socket)!;
    const left = this.#perNetwork.get(network)! - 1;
    if (left === 0) this.#perNetwork.delete(network);
    else this.#perNetwork.set(network, left);
    openConnections.dec();
  }

  #sweep(): void {
    const now = performance.now();
    for (const socket of this.#open) {
      const connection = connectionOf.get(socket)!;
      if (socket.writableLength === 0 && !socket.writableEnded) {
        connection.stalledSince = undefined;
        continue;
      }
      const accepted = acceptedBytes(socket);
      if (connection.stalledSince === undefined || accepted !== connection.accepted) {
        connection.accepted = accepted;
        connection.stalledSince = now;
      } else if (now - connection.stalledSince >= this.#stallTimeoutMs) close(socket, 'stalled');
    }
  }
}

/** One function for all responses: a closure for each response would double the cost of counting. */
function recordAnswered(this: ServerResponse): void {
  const { socket } = this.req;
  const connection = connectionOf.get(socket)!;
  connection.unanswered -= 1;
  connection.current = undefined;
  if (connection.waiting.length === 0) {
    if (socket.writable) connection.idle.add(socket);
    return;
  }
  const begin = () => {
    // RFC 9112, 9.6: after an answer that closes the connection, no further request is processed.
    if (socket.writable) connection.waiting.shift()?.();
  };
  void pipelined.run(connection.network, Number.POSITIVE_INFINITY, inOneSlice(begin));
}

/**
 * The gateway ends the connection after this answer, but closes it only when the client has ended its side too, or
 * stalls. Closing it with unread bytes, such as a pipelined request, resets it before the client has the whole answer.
 * And a closed connection counts no more, while the kernel still keeps the answer for its client.
 */
export function lingerAfter({ req }: ServerResponse): void {
  // Node calls it at the end of an answer that closes its connection.
  req.socket.destroySoon = endAndDiscard;
}

function endAndDiscard(this: Socket): void {
  this.end();
  this.resume();
}

function close(socket: Socket, reason: 'limit' | 'address-limit' | 'pipelined' | 'stalled'): void {
  closedConnections.inc({ reason });
  // Without a reset the kernel keeps the bytes that the client does not read, for minutes.
  if (reason === 'stalled') socket.resetAndDestroy();
  else socket.destroy();
}
