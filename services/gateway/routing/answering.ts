import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkOf } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import { AppError, refuseUnstorable } from '@yardarm/shared/errors';
import { callFields, type Logger } from '@yardarm/shared/log';
import { childTraceparent, Histogram, metrics, type Span, tracer } from '@yardarm/shared/telemetry';
import { type MaybePromise, TimeSlicer, whenThere } from '@yardarm/shared/waiting';
import type { AuthRequest, AuthResult } from '../auth/authenticator.ts';
import { countRefusal } from '../rate-limited.ts';
import { inAdminTurn, inBodyTurn, needsTurn } from './caller-turns.ts';
import { countHeader } from './count-header.ts';
import { sendError } from './error-body.ts';
import { parse } from './parse.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import { codingOf } from './read-bytes.ts';
import { endRequestSpan, startRequestSpan } from './request-span.ts';
import type { Call, Reply, Route, TakeChunk } from './route.ts';
import { sendBody } from './send-body.ts';
import { sendList } from './send-list.ts';

const duration = new Histogram({
  name: 'yardarm_http_request_seconds',
  help: 'Time from the request to its answer, by route',
  labelNames: ['method', 'path', 'status'],
  // From an answer out of memory to the request timeout.
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [metrics],
});

export interface AnsweringOptions {
  /** The result at once when memory has it. Refusals are thrown, or reject the promise. */
  authenticate(route: Route, authRequest: AuthRequest): MaybePromise<AuthResult>;
  /** Throws for a route that may not be used now. */
  admit?(route: Route): void;
  requestTimeoutMs: number;
  /** What a caller has in front of every path (listener/base-path.ts); empty unless given. */
  basePath?: string;
  log: Logger;
}

/** Reads the parts of a request of one route that not every request needs. */
export interface RequestReader {
  host(request: IncomingMessage): string | undefined;
  isSecure(request: IncomingMessage): boolean;
  /** The address of the caller, before the trusted proxies. */
  address(request: IncomingMessage): string;
  /** The query as the schema of the route reads it; undefined without a schema. */
  query(request: IncomingMessage): unknown;
  /** As it was sent, maybe compressed; undefined without one. */
  body(request: IncomingMessage, response: ServerResponse): Promise<Buffer | undefined>;
  decompress(sent: Buffer, request: IncomingMessage, response: ServerResponse): Promise<Buffer>;
  parseBody(bytes: Buffer): unknown;
  parseLargeBody(bytes: Buffer, slicer: TimeSlicer): Promise<unknown>;
  bodyInChunks(request: IncomingMessage, response: ServerResponse, take: TakeChunk): Promise<void>;
}

/**
 * Answers a request of its route; `pathParams` are as sent. Every outcome is answered, logged and counted. It never
 * throws or rejects.
 */
export type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  pathParams: Readonly<Record<string, unknown>>,
) => MaybePromise<void>;

/** Makes the function that answers the requests of a route. */
export type AnswerOf = (route: Route, reader: RequestReader) => Answer;

const noBytes = Buffer.alloc(0);

/**
 * Refusals of one caller that are in the log. The public token of a page is refused thousands of times a second for a
 * wrong query, and without a bound a minute of it pushes the lines of all changes out of a log of 100 MB.
 */
const maxRefusalsPerMinute = 30;

/**
 * Every request of a route has the same steps: authentication, admission, params and query, body, handler, answer. A
 * caller without access is refused before the body is read. A step that memory can do is done at once, so a read of an
 * SDK is answered in the turn in which it arrived.
 */
export function createAnswers({
  authenticate,
  admit,
  requestTimeoutMs,
  basePath = '',
  log,
}: AnsweringOptions): AnswerOf {
  const refusals = createRateLimit(maxRefusalsPerMinute);
  return (route, reader) => {
    const about: AboutRoute = { route, refusals, reader, admit, requestTimeoutMs, basePath, log, observers: new Map() };
    return (message, response, pathParams) => {
      const request = new RequestOfRoute(about, message, response, pathParams);
      try {
        requireSingleHeaders(message);
        const answered = whenThere(authenticate(route, request), (authResult) => {
          request.authResult = authResult;
          return answer(request, authResult);
        });
        if (!(answered instanceof Promise)) return request.answered();
        return answered.then(
          () => request.answered(),
          (error: unknown) => request.failed(error),
        );
      } catch (error) {
        request.failed(error);
      }
    };
  };

  function answer(request: RequestOfRoute, authResult: AuthResult): MaybePromise<void> {
    const { actor } = authResult;
    const sendReply = (reply: Reply) => send(request, authResult, located(reply));
    if (actor === null) return whenThere(request.handle(), sendReply);
    let stream: Reply | undefined;
    const answered = inAdminTurn(actor, request.context.deadline, async () => {
      // Its client has left while it waited.
      if (request.response.destroyed) return;
      const reply = await request.handle();
      // It goes on for hours, and has limits of its own.
      if (reply.respond) stream = reply;
      else await sendReply(reply);
    });
    return whenThere(answered, () => stream && sendReply(stream));
  }

  /** The reply whose location is a path of the caller. */
  function located(reply: Reply): Reply {
    if (basePath === '' || reply.headers?.location === undefined) return reply;
    return { ...reply, headers: { ...reply.headers, location: basePath + reply.headers.location } };
  }

  function send(request: RequestOfRoute, authResult: AuthResult, reply: Reply): MaybePromise<void> {
    const { route, requestId, response } = request;
    if (!reply.list && !reply.respond) return sendBody(response, { audience: route.audience, requestId }, reply);
    response.setHeader('x-request-id', requestId);
    if (route.audience === 'admin') response.setHeader('cache-control', 'no-store');
    if (reply.list) return sendList(response, reply, reply.list, requestTimeoutMs);
    return reply.respond?.({
      response,
      address: request.address,
      actor: authResult.actor,
      async authenticate() {
        const context = { ...request.context, deadline: Date.now() + requestTimeoutMs };
        const { actor, token } = await authenticate(route, request.in(context));
        return { token, context: { ...context, actor } };
      },
    });
  }
}

/** What the requests of a route share. */
interface AboutRoute {
  route: Route;
  reader: RequestReader;
  admit: AnsweringOptions['admit'];
  requestTimeoutMs: number;
  basePath: string;
  log: Logger;
  /** Of the log, by caller. */
  refusals: RateLimit;
  /** The observers of the duration, by the status of the answer. */
  observers: Map<number, (seconds: number) => void>;
}

/**
 * One request of a route, for authentication and for the handler. What few reads of SDKs need is made when it is first
 * read.
 */
class RequestOfRoute implements AuthRequest, Call<unknown, unknown, unknown> {
  readonly route: Route;
  readonly requestId: string;
  readonly response: ServerResponse;
  readonly pathParams: Readonly<Record<string, unknown>>;
  readonly header: (name: string) => string | undefined;
  authResult: AuthResult | null = null;
  params: unknown;
  query: unknown;
  body: unknown;
  bytes: Buffer = noBytes;
  readonly #about: AboutRoute;
  readonly #request: IncomingMessage;
  readonly #startedAt = performance.now();
  readonly #span: Span | null;
  #context: RequestContext | undefined;

  constructor(
    about: AboutRoute,
    request: IncomingMessage,
    response: ServerResponse,
    pathParams: Readonly<Record<string, unknown>>,
  ) {
    this.#about = about;
    this.#request = request;
    this.route = about.route;
    this.requestId = requestIdOf(request);
    this.response = response;
    this.pathParams = pathParams;
    this.#span = tracer === null ? null : startRequestSpan(tracer, request, about.route, this.requestId);
    this.header = (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
  }

  get host(): string | undefined {
    return this.#about.reader.host(this.#request);
  }

  get isSecure(): boolean {
    return this.#about.reader.isSecure(this.#request);
  }

  get address(): string {
    return this.#about.reader.address(this.#request);
  }

  get token(): AuthResult['token'] {
    return this.authResult?.token ?? null;
  }

  get sender(): AuthResult['sender'] {
    return this.authResult?.sender ?? null;
  }

  /** With the actor once the request is authenticated. */
  get context(): RequestContext {
    if (!this.#context) {
      // The deadline counts from the beginning of the request, also when its body took long.
      const leftMs = Math.ceil(this.#about.requestTimeoutMs - (performance.now() - this.#startedAt));
      this.#context = contextOf(this.#request, leftMs, this.requestId, this.#span);
    }
    return this.authResult ? { ...this.#context, actor: this.authResult.actor } : this.#context;
  }

  get readChunks(): (take: TakeChunk) => Promise<void> {
    return (take) => this.#about.reader.bodyInChunks(this.#request, this.response, take);
  }

  /** The same credentials in another context, for a later authentication. */
  in(context: RequestContext): AuthRequest {
    const { host, isSecure, pathParams, header, address } = this;
    return { host, isSecure, pathParams, header, address, context: { ...context, actor: null } };
  }

  /** Calls the handler of the route, after authentication. */
  handle(): MaybePromise<Reply> {
    const { route } = this;
    const { admit, reader } = this.#about;
    admit?.(route);
    route.rateLimit?.use(this.address);
    if (route.params) this.params = parse(route.params, this.pathParams);
    // Else the service refuses them, by the names that they have there.
    if (route.audience === 'admin') refuseUnstorable(this.params);
    this.query = reader.query(this.#request);
    if (route.readsChunks || (route.isLong && route.body === undefined)) return this.#inTurn(() => route.handle(this));
    if (route.body === undefined) return route.handle(this);
    return reader.body(this.#request, this.response).then((sent) => {
      if (sent === undefined) {
        this.body = parse(route.body!, undefined);
        return route.handle(this);
      }
      // A body of 2 kB may have 2 MB.
      if (route.isLong || codingOf(this.#request) !== null)
        return this.#inTurn(async () => this.#handleBytes(await reader.decompress(sent, this.#request, this.response)));
      if (!route.readsBytes && needsTurn(sent.length)) return this.#inTurn(() => this.#handleBytes(sent));
      return this.#handleBytes(sent);
    });
  }

  #handleBytes(bytes: Buffer): MaybePromise<Reply> {
    const { route, reader } = this.#about;
    // A signal's bytes are stored as they are.
    if (route.readsBytes) this.bytes = bytes;
    else if (needsTurn(bytes.length)) return this.#handleLarge(bytes);
    else this.body = parse(route.body!, reader.parseBody(bytes));
    return route.handle(this);
  }

  async #handleLarge(bytes: Buffer): Promise<Reply> {
    const { route, reader } = this.#about;
    this.body = parse(route.body!, await reader.parseLargeBody(bytes, new TimeSlicer(this.context)));
    return await route.handle(this);
  }

  #inTurn(handle: () => MaybePromise<Reply>): MaybePromise<Reply> {
    const { actor, deadline } = this.context;
    return inBodyTurn({ deadline, actor, key: this.#callerKey() }, handle);
  }

  #callerKey(): string {
    const id = this.token?.id ?? this.sender?.tokenId;
    // Pages show a token of frontends to everybody: one of its users leaves the turns of the others alone. So do those
    // who need no token, or report usage, the turns for signals and evaluations.
    return `${this.route.audience} ${id} ${networkOf(this.address)}`;
  }

  answered(): void {
    const { statusCode: status } = this.response;
    if (this.route.writes) this.#about.log.info({ ...this.#logFields(), status }, 'a change was answered');
    this.#count(status);
  }

  failed(error: unknown): void {
    countRefusal(error);
    const { route, requestId, response, authResult } = this;
    sendError(
      response,
      error,
      {
        ...{ requestId, method: this.#request.method!, route: route.path, audience: route.audience },
        basePath: this.#about.basePath,
        hasRoomInLog: () => this.#about.refusals.tryUse(this.#callerKey()) !== null,
        ...{ isAuthenticated: authResult !== null && route.audience !== 'public', about: this.#logFields() },
        fields: (refusal, message) => route.errorFields?.(refusal, message, this.pathParams) ?? {},
      },
      this.#about.log,
    );
    this.#count(response.statusCode);
  }

  #logFields(): object {
    const durationMs = performance.now() - this.#startedAt;
    return callFields({ ...this.context, operation: this.route.operationId, durationMs });
  }

  #count(status: number): void {
    const { route, observers } = this.#about;
    let observe = observers.get(status);
    if (!observe) {
      observe = duration.labels({ method: route.method, path: route.path, status }).observe;
      observers.set(status, observe);
    }
    observe((performance.now() - this.#startedAt) / 1_000);
    if (this.#span !== null) endRequestSpan(this.#span, status);
  }
}

/**
 * Of two authorization headers Node uses the first, and a proxy in front may have checked the last. Two keys would
 * become one text.
 */
const singleHeaders = ['authorization', 'idempotency-key'];

function requireSingleHeaders(request: IncomingMessage): void {
  for (const name of singleHeaders) {
    if (request.headers[name] !== undefined && countHeader(request, name) > 1)
      throw new AppError('validation', `A request may have at most one ${name} header. You sent several.`);
  }
}

const acceptableRequestId = /^[\w.:-]{1,100}$/;

/** The caller's request id when it is safe in a log and a header, else a new one. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && acceptableRequestId.test(given) ? given : randomUUID();
}

/** The context of a request without an actor. It has the trace of the span if there is one. */
export function contextOf(
  request: IncomingMessage,
  timeoutMs: number,
  requestId: string = requestIdOf(request),
  span: Span | null = null,
): RequestContext {
  const { traceparent } = request.headers;
  const deadline = Date.now() + timeoutMs;
  return {
    ...{ requestId, actor: null, deadline },
    traceparent: span?.traceparent ?? childTraceparent(typeof traceparent === 'string' ? traceparent : null),
  };
}
