import type { ServerResponse } from 'node:http';
import { networkOf } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { Gauge } from '@yardarm/shared/telemetry';
import { TimeSlicer } from '@yardarm/shared/waiting';
import { RateLimited } from '../rate-limited.ts';
import { AnswerWriter } from './answer-writer.ts';
import { type Authenticated, type Checked, TokenChecks } from './token-checks.ts';

/** Proxies close a connection that is silent for a minute, some after half a minute. */
const defaultCommentEveryMs = 15_000;

/** A lost connection is noticed with the next write, which is at the latest a comment. */
const retryAfterSeconds = defaultCommentEveryMs / 1_000;

/** The head of event streams. A proxy should pass on each event at once. */
export const eventStreamHeaders = {
  ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
};

export interface StreamClient extends Authenticated {
  response: ServerResponse;
  /** Of the caller, before the trusted proxies. */
  address: string;
  /** Null for an SDK. */
  actor: Actor | null;
}

/** A stream whose head is sent. */
export interface OpenStream {
  writer: AnswerWriter;
  /**
   * Authenticates the caller again and returns the context for one request of the stream, with a new deadline. Throws
   * the errors of authentication. Those with a status below 500 end the stream.
   */
  context(): Promise<RequestContext>;
}

export interface StreamOptions {
  /** The largest number of streams. */
  limit: number;
  /** The largest share of one caller. */
  limitPerCaller: number;
  /** Whose share a stream counts in. */
  callerOf: (client: StreamClient) => string;
  /** SDKs poll at once after `rate-limited`. A tool comes back after `unavailable`, maybe to another gateway. */
  whenFull: 'rate-limited' | 'unavailable';
  gauge?: Gauge;
  checkEveryMs?: number;
  commentEveryMs?: number;
}

interface Counted {
  writer: AnswerWriter;
  places: number;
  hasComments: boolean;
  stop(): void;
}

/**
 * Streamed answers: the events for SDKs, for providers of OpenFeature and for administrators, and exports. Their number
 * is limited. States of a stream:
 *
 *   open       Its token is checked (token-checks.ts). An event stream gets a comment every 15 s.
 *   stopped    Its token is refused, an administrator ends all streams, or the gateway stops. The answer is completed,
 *              and the client connects again. A function that makes the answer finds its signal aborted: the answer is
 *              complete when it returns, and broken off when it throws, without an error.
 *   broken off The client has gone or does not read, or the function threw while the stream was open.
 *   closed     The response is closed. The stream counts no more.
 */
export class OpenStreams {
  readonly #options: StreamOptions;
  readonly #checks: TokenChecks;
  readonly #streams = new Set<Counted>();
  /** Places of the streams, of all and of each caller. */
  #used = 0;
  readonly #perCaller = new Map<string, number>();
  readonly #comments: NodeJS.Timeout;
  #isCommenting = false;
  #isStopped = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#checks = new TokenChecks(options.checkEveryMs);
    this.#comments = setInterval(() => void this.#comment(), options.commentEveryMs ?? defaultCommentEveryMs);
    this.#comments.unref();
  }

  get isFull(): boolean {
    return this.#isStopped || this.#used >= this.#options.limit;
  }

  /**
   * Begins a stream of events that are sent when they happen. Throws before the answer when there are too many streams.
   * Null for HEAD, which gets the head and opens no stream, and for a client that has gone. A stream that needs more
   * memory than others occupies several places.
   */
  open(client: StreamClient, onClose: (writer: AnswerWriter) => void, places = 1): AnswerWriter | null {
    const { id } = client.token;
    return this.#open(client, eventStreamHeaders, id, (writer) => writer.end(), { onClose, places })?.writer ?? null;
  }

  /** Answers with what a function writes. Resolves at its end. Rejects with its error, or before, as `open` throws. */
  async run(
    client: StreamClient,
    headers: Record<string, string>,
    produce: (stream: OpenStream) => Promise<void>,
  ): Promise<void> {
    // The stream shares its check with no other: its requests have a context of their own.
    const stream = this.#open(client, headers, client.response, (writer) => writer.abort());
    if (!stream) return;
    const { writer, checked } = stream;
    client.response.flushHeaders();
    await writer.run(async () => {
      await produce({ writer, context: () => this.#checks.check(checked) });
      client.response.end();
    });
  }

  recheck(isAffected: (token: ResolvedToken) => boolean): void {
    this.#checks.recheck(isAffected);
  }

  /** Ends all streams. Their clients connect again. */
  endAll(): void {
    for (const { stop } of this.#streams) stop();
  }

  /** Ends all streams and refuses new ones. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#comments);
    this.endAll();
  }

  /** In slices, since a comment takes some 30 µs: those of ten thousand streams would stop the process for 0.3 s. */
  async #comment(): Promise<void> {
    if (this.#isCommenting) return;
    this.#isCommenting = true;
    const slicer = new TimeSlicer({ deadline: Number.POSITIVE_INFINITY });
    for (const { writer, hasComments } of this.#streams) {
      if (!hasComments) continue;
      writer.comment();
      await slicer.next();
    }
    this.#isCommenting = false;
  }

  #open(
    client: StreamClient,
    headers: Record<string, string>,
    checkKey: unknown,
    stop: (writer: AnswerWriter) => void,
    { onClose, places = 1 }: { onClose?: (writer: AnswerWriter) => void; places?: number } = {},
  ): { writer: AnswerWriter; checked: Checked } | null {
    const { response } = client;
    const caller = this.#options.callerOf(client);
    this.#refuseTooMany(caller, places);
    // A client that has gone causes no `close` event any more.
    if (response.destroyed) return null;
    response.writeHead(200, headers);
    if (response.req.method === 'HEAD') {
      response.end();
      return null;
    }
    const writer = new AnswerWriter(response);
    const counted = { writer, places, hasComments: headers === eventStreamHeaders, stop: () => stop(writer) };
    this.#streams.add(counted);
    this.#used += places;
    this.#perCaller.set(caller, (this.#perCaller.get(caller) ?? 0) + places);
    this.#options.gauge?.inc();
    const checked = this.#checks.add(checkKey, client, counted.stop);
    response.once('close', () => {
      this.#checks.remove(checked, counted.stop);
      this.#streams.delete(counted);
      this.#leave(caller, places);
      this.#options.gauge?.dec();
      onClose?.(writer);
    });
    return { writer, checked };
  }

  #refuseTooMany(caller: string, places: number): void {
    const { limit, whenFull, limitPerCaller } = this.#options;
    if (this.#isStopped) throw new AppError('unavailable', 'This process stops.', { retryAfterSeconds: 1 });
    const asSeveral = places === 1 ? '' : ` With its filter, yours counts as ${places} streams.`;
    if (this.isFull) {
      const message = `This gateway has ${limit} streams, and all are in use.${asSeveral}`;
      if (whenFull === 'rate-limited') throw new RateLimited('streams', message, retryAfterSeconds);
      throw new AppError(whenFull, message, { retryAfterSeconds });
    }
    if ((this.#perCaller.get(caller) ?? 0) < limitPerCaller) return;
    const message = `You already have ${limitPerCaller} streams and exports open here. End one of them first.${asSeveral}`;
    throw new RateLimited('streams', message, retryAfterSeconds);
  }

  #leave(caller: string, places: number): void {
    this.#used -= places;
    const left = this.#perCaller.get(caller)! - places;
    if (left === 0) this.#perCaller.delete(caller);
    else this.#perCaller.set(caller, left);
  }
}

/** An administrator. All admin tokens have the same actor, so each of them counts alone. */
export function administratorOf({ actor, token }: StreamClient): string {
  return actor === null || actor.kind === 'admin-token' ? `token ${token.id}` : `${actor.kind} ${actor.id}`;
}

/** A token of SDKs at an address: thousands of instances have the same token, and every browser has a public one. */
export function sdkTokenOf({ token, address }: StreamClient): string {
  return `${token.id} ${networkOf(address)}`;
}
