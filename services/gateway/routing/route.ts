import type { RequestContext } from '@yardarm/shared/bus';
import type { ErrorCode, Permission, RequestContract } from '@yardarm/shared/contracts';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import type { AppError, JsonBounds } from '@yardarm/shared/errors';
import type { MaybePromise } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import type { ListBody } from './list-body.ts';
import type { StreamClient } from './open-streams.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * The credentials that a route accepts.
 *   admin:    an admin token, a personal access token, a service account's token or a session; the actor also needs the
 *             route's permission
 *   client:   a client token of an environment
 *   frontend: a frontend token of an environment
 *   evaluation: a client or a frontend token, also in X-API-Key
 *   signal:   a token of the signal endpoint that the path names
 *   public:   any caller
 */
export type Audience = 'admin' | 'client' | 'frontend' | 'evaluation' | 'signal' | 'public';

/** The endpoint that receives a signal and the token that authenticated it. */
export interface SignalSender {
  endpointId: number;
  tokenId: number;
}

/**
 * Takes the next bytes of a body. When it returns a promise, the body is read on after it resolves, and the bytes that
 * were taken before are needed no more.
 */
export type TakeChunk = (chunk: Buffer) => MaybePromise<void>;

/** A request of a route. A copy by spread lacks `context`, `address` and `readChunks`: they are made when read. */
export interface Call<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** What was sent, on a route that reads bytes; else empty. */
  bytes: Buffer;
  /** Reads the body while it arrives, once, on a route that reads chunks. */
  readChunks(take: TakeChunk): Promise<void>;
  context: RequestContext;
  /** The authenticated token; null on public and signal routes. */
  token: ResolvedToken | null;
  /** The sender of the signal; null on all but signal routes. */
  sender: SignalSender | null;
  /** The address of the caller, before the trusted proxies. */
  address: string;
  /** Whether the caller uses HTTPS, to the gateway or to a trusted proxy. */
  isSecure: boolean;
  /** A request header's value, by its lower-case name. */
  header(name: string): string | undefined;
}

/** The answer of a route. A Buffer is sent as it is, any other body as JSON. */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** A long list, instead of `body`. An error of its first piece is an ordinary answer (send-list.ts). */
  list?: ListBody;
  /** The body is a document of some hundred kB, and the connection ends after it (write-in-turns.ts). */
  isSentInTurns?: true;
  /**
   * Sends the whole answer itself, with its head, by a stream (open-streams.ts). The request is logged and counted when
   * it returns or its promise resolves; the stream may go on. The answer is broken off when it throws after the head.
   */
  respond?: (client: Omit<StreamClient, 'token'>) => MaybePromise<void>;
}

export interface BytesReply extends Reply {
  headers: Record<string, string>;
  body?: Buffer;
}

/** A route of the public API. The router, the documents and authentication are derived from it. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  operationId: string;
  summary: string;
  tag: string;
  audience: Audience;
  /** The permission that the owning service requires; any of a list. The gateway checks it before it reads the body. */
  permission?: Permission | readonly Permission[];
  /** The permission in any project and environment is enough here; the owning service checks the place of the body. */
  anywhere?: true;
  /** Also for a user who must choose a new password first; on admin routes. */
  beforePasswordChange?: boolean;
  isDeprecated?: boolean;
  /**
   * As in its contract. A route that writes leaves a line in the log with each call, and no page of another site may
   * make a session use it. One with `true` is refused in maintenance mode, before its body is read.
   */
  writes?: RequestContract['writes'];
  params?: z.ZodType;
  query?: z.ZodType;
  /** The meaning of each header that the route reads, by the header's name. */
  headers?: Record<string, string>;
  body?: z.ZodType;
  /** The name of the body's schema in the OpenAPI document, if it is not the operation's and the body is no noun. */
  bodyName?: string;
  /** The same for the answer. */
  answerName?: string;
  bodyLimitBytes?: number;
  /** What a body may have; `defaultBodyBounds` unless given. A handler that reads bytes checks them itself. */
  bodyBounds?: JsonBounds;
  /**
   * The handler gets the bytes of the body, and `body` only documents them. Parsing a large body would delay all other
   * requests.
   */
  readsBytes?: true;
  /** The handler reads the body by `readChunks`, and `body` only documents it. Memory never has a large body whole. */
  readsChunks?: true;
  /**
   * The handler drops values that cannot be serialized (`refuseUnserializable`), and reads no deeper than it knows the
   * body. Other routes refuse a body with such a value.
   */
  dropsUnserializable?: true;
  /** Takes the services long, whatever its body has: a caller has one at a time. */
  isLong?: true;
  /** Checked after the token and before the body is read. */
  rateLimit?: RateLimit | undefined;
  /** The answer of success: its status, and the schema of a JSON body or the media type of another text. */
  answer: { status: number; schema?: z.ZodType; mediaType?: string; headers?: Record<string, string> };
  errors: readonly ErrorCode[];
  /**
   * What the protocol of the route adds to the body of an error. `message` is the one that the caller may see, `params`
   * are those of the path, unchecked.
   */
  errorFields?(error: AppError, message: string, params: Readonly<Record<string, unknown>>): object;
  /** A GET that SDKs send all the time. Express does not route it (hot-reads.ts). Its path may end with a parameter. */
  isHot?: true;
  /** Returns the reply without a promise when memory has it. */
  handle(call: Call<unknown, unknown, unknown>): MaybePromise<Reply>;
}

/** The properties that a route shares with its contract. */
export function ofContract({
  summary,
  errors,
  permission,
  anywhere,
  writes,
}: RequestContract): Pick<Route, 'summary' | 'errors' | 'permission' | 'anywhere' | 'writes'> {
  const isNamed = permission !== 'authenticated' && permission !== 'public' && permission !== 'internal';
  const required = { ...(isNamed && { permission }), ...(anywhere && { anywhere }) };
  return { summary, errors, ...required, writes };
}

interface TypedRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>
  extends Omit<Route, 'handle' | 'params' | 'query' | 'body'> {
  params?: P;
  query?: Q;
  body?: B;
  handle(call: Call<z.output<P>, z.output<Q>, z.output<B>>): MaybePromise<Reply>;
}

/** Ties the handler's types to the schemas of params, query and body. */
export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  definition: TypedRoute<P, Q, B>,
): Route {
  return definition as unknown as Route;
}
