import type { ServerResponse } from 'node:http';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { Gauge, metrics } from '@yardarm/shared/telemetry';
import { SdkStream } from './sdk-stream.ts';
import { type Authenticate, TokenChecks } from './token-checks.ts';

/** Proxies close a connection that is silent for half a minute or a minute. */
const commentEveryMs = 25_000;

const head = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

const openStreams = new Gauge({
  name: 'yardarm_gateway_sdk_streams',
  help: 'Open streams of SDKs',
  registers: [metrics],
});

interface Reader {
  token: ResolvedToken;
  authenticate: Authenticate;
  /** The revision that the SDK has. */
  revision: number;
  onClose(stream: SdkStream): void;
}

/**
 * All streams of SDKs at this gateway, of whatever events. Their number is limited. A stream ends when its token is no
 * longer valid, an administrator ends all streams, or the gateway stops: the answer is complete, and the SDK connects
 * again.
 */
export class OpenStreams {
  readonly #limit: number;
  readonly #checks = new TokenChecks();
  readonly #streams = new Set<SdkStream>();
  readonly #comments: NodeJS.Timeout;
  #isStopped = false;

  constructor(limit: number) {
    this.#limit = limit;
    this.#comments = setInterval(() => {
      for (const stream of this.#streams) stream.comment();
    }, commentEveryMs);
    this.#comments.unref();
  }

  get isFull(): boolean {
    return this.#isStopped || this.#streams.size >= this.#limit;
  }

  recheck(isAffected: (token: ResolvedToken) => boolean): void {
    this.#checks.recheck(isAffected);
  }

  /** Throws `rate-limited` without a free stream, since SDKs then poll at once. */
  requireFree(): void {
    if (this.#isStopped) throw new AppError('unavailable', 'This process stops.', { retryAfterSeconds: 1 });
    if (!this.isFull) return;
    const message = `This gateway has ${this.#limit} streams, and all are in use.`;
    throw new AppError('rate-limited', message, { retryAfterSeconds: 15 });
  }

  /** Begins the answer, when `requireFree` has returned. Null without a reader. */
  begin(response: ServerResponse, { token, authenticate, revision, onClose }: Reader): SdkStream | null {
    // The client may have gone already: then there is no `close` event any more.
    if (response.destroyed) return null;
    response.writeHead(200, head);
    if (response.req.method === 'HEAD') {
      response.end();
      return null;
    }
    const stream = new SdkStream(response, revision);
    this.#streams.add(stream);
    openStreams.inc();
    const uncheck = this.#checks.add(token, authenticate, () => stream.end());
    response.once('close', () => {
      uncheck();
      this.#streams.delete(stream);
      openStreams.dec();
      onClose(stream);
    });
    return stream;
  }

  /** Ends all streams. Their SDKs connect again. */
  endAll(): void {
    for (const stream of this.#streams) stream.end();
  }

  /** Ends all streams and refuses new ones. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#comments);
    this.endAll();
  }
}
