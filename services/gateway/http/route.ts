import type { RequestContext } from '@yardarm/shared/bus';
import type { ErrorCode, Permission, RequestContract } from '@yardarm/shared/contracts';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import type { z } from 'zod';
import type { Sink } from './sink.ts';

/**
 * Which credentials open a route.
 *   admin:    an admin token, a personal access token, a service account's token or a session; the actor's permissions decide the rest
 *   client:   a client token of an environment
 *   frontend: a frontend token of an environment
 *   signal:   a token of the signal endpoint that the path names
 *   public:   everybody
 */
export type Audience = 'admin' | 'client' | 'frontend' | 'signal' | 'public';

/** The endpoint and the token by which a signal came in. */
export interface SignalSender {
  endpointId: number;
  tokenId: number;
}

/** One call of a route, parsed. */
export interface Call<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  context: RequestContext;
  /** The token that opened the door; null on public and signal routes. */
  token: ResolvedToken | null;
  /** Who sent a signal; null on all but signal routes. */
  sender: SignalSender | null;
  /** Where the request comes from, past the proxies that are trusted. */
  address: string;
  /** Whether it came by HTTPS, to us or to such a proxy. */
  isSecure: boolean;
  /** A request header's value, by its lower-case name. */
  header(name: string): string | undefined;
}

/** What a route answers; a Buffer goes out as it is, anything else as JSON. */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Sends the body bit by bit, in the place of `body`: the answer is whole when it returns, and broken off when it throws. */
  stream?: (sink: Sink) => Promise<void>;
}

/** An answer that goes out as it is. */
export interface BytesReply extends Reply {
  headers: Record<string, string>;
  body?: Buffer;
}

/** What a route knows of a request that it answers at once. */
type CallNow<Params> = Pick<Call<Params, unknown, unknown>, 'params' | 'token' | 'header'>;

/** One route of the public API as a value: mounted, documented and guarded from here, and nowhere else. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Express path, such as `/api/admin/addons/:id`. */
  path: string;
  operationId: string;
  summary: string;
  tag: string;
  audience: Audience;
  /** What the owning service asks for, one of several; asked for at the door already, so that no body is read for nothing. */
  permission?: Permission | readonly Permission[];
  /** Open also to somebody who must choose a password before anything else; on admin routes. */
  beforePasswordChange?: boolean;
  isDeprecated?: boolean;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  bodyLimitBytes?: number;
  /** What a good answer looks like: status, and the body's schema when it is JSON, or its media type when it is text of another kind. */
  answer: { status: number; schema?: z.ZodType; mediaType?: string; headers?: Record<string, string> };
  errors: readonly ErrorCode[];
  /**
   * Answers a hot GET that has no query without waiting, as `handle` would, from memory. Null when it cannot: then `handle` answers. Its
   * path may end with one parameter (answer-now.ts).
   */
  answerNow?(call: CallNow<unknown>): BytesReply | null;
  handle(call: Call<unknown, unknown, unknown>): Promise<Reply>;
}

/** What a route takes over from the contract that it turns into. */
export function ofContract({
  summary,
  errors,
  permission,
}: RequestContract): Pick<Route, 'summary' | 'errors' | 'permission'> {
  const isNamed = permission !== 'authenticated' && permission !== 'public' && permission !== 'internal';
  return { summary, errors, ...(isNamed && { permission }) };
}

interface TypedRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>
  extends Omit<Route, 'handle' | 'answerNow' | 'params' | 'query' | 'body'> {
  params?: P;
  query?: Q;
  body?: B;
  answerNow?(call: CallNow<z.output<P>>): BytesReply | null;
  handle(call: Call<z.output<P>, z.output<Q>, z.output<B>>): Promise<Reply>;
}

/** Ties the handler's types to the schemas of params, query and body. */
export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  definition: TypedRoute<P, Q, B>,
): Route {
  return definition as unknown as Route;
}
