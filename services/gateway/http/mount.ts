import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestContext } from '@yardarm/shared/bus';
import { AppError } from '@yardarm/shared/errors';
import { callFields, type Logger } from '@yardarm/shared/log';
import { childTraceparent, Histogram, metrics } from '@yardarm/shared/telemetry';
import type { Express, Request, Response } from 'express';
import type { AuthRequest, AuthResult } from '../authentication/authenticator.ts';
import type { HostCheck } from './allowed-hosts.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { sendError } from './error-body.ts';
import { parse } from './parse.ts';
import { readBody } from './read-body.ts';
import type { Reply, Route } from './route.ts';
import { sendList } from './send-list.ts';
import type { Streams } from './streams.ts';
import { writeHead } from './write.ts';

export const duration = new Histogram({
  name: 'yardarm_http_request_seconds',
  help: 'Time from the request to its answer, by route',
  labelNames: ['method', 'path', 'status'],
  // From an answer out of memory to the request timeout.
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [metrics],
});

export interface Mounting {
  authenticate(route: Route, authRequest: AuthRequest): Promise<AuthResult>;
  /** Without it, every host name is accepted. */
  checkHost?: HostCheck;
  streams: Streams;
  requestTimeoutMs: number;
  /** Express's `trust proxy`; without it no proxy is trusted. */
  trustProxy?: number | string[] | undefined;
  /** Without it, pages of other origins may use no route. */
  crossOrigin?: CrossOrigin;
  log: Logger;
}

/**
 * Mounts the routes. Every request has the same steps: id and trace, authentication, params and query, body, handler,
 * answer. A caller without access is refused before the body is read.
 */
export function mount(app: Express, routes: readonly Route[], mounting: Mounting): void {
  refuseDuplicates(routes);
  for (const route of routes) {
    app[route.method](route.path, async (request: Request, response: Response) => {
      const end = duration.startTimer({ method: route.method, path: route.path });
      const startedAt = performance.now();
      const context = contextOf(request, mounting.requestTimeoutMs);
      let authResult: AuthResult | null = null;
      const about = () => {
        const actor = authResult?.actor ?? null;
        const durationMs = performance.now() - startedAt;
        return callFields({ ...context, actor, operation: route.operationId, durationMs });
      };
      response.setHeader('x-request-id', context.requestId);
      // What administrators read is for them alone. Headers of the route replace this one.
      if (route.audience === 'admin') response.setHeader('cache-control', 'no-store');
      try {
        const authRequest = authRequestOf(request, context);
        authResult = await mounting.authenticate(route, authRequest);
        const reply = await answer(route, request, response, authRequest, authResult);
        const authenticate = (now: RequestContext) => mounting.authenticate(route, { ...authRequest, context: now });
        if (reply.list) await sendList(response, reply, reply.list, mounting.requestTimeoutMs);
        else if (reply.take) {
          const deadline = () => Date.now() + mounting.requestTimeoutMs;
          reply.take(response, () => authenticate({ ...context, deadline: deadline() }));
        } else if (reply.stream === undefined) send(response, reply);
        else {
          await mounting.streams.send(response, reply, { authResult, authenticate }, context);
        }
        if (route.isChange) mounting.log.info({ ...about(), status: response.statusCode }, 'a change was answered');
      } catch (error) {
        sendError(
          response,
          error,
          {
            ...{ requestId: context.requestId, method: request.method, route: route.path, audience: route.audience },
            ...{ isAuthenticated: authResult !== null && route.audience !== 'public', about: about() },
            fields: (refusal, message) => route.errorFields?.(refusal, message, request.params) ?? {},
          },
          mounting.log,
        );
      } finally {
        end({ status: response.statusCode });
      }
    });
  }
}

/** Express would silently use the first of two routes with the same method and path, and its audience. */
function refuseDuplicates(routes: readonly Route[]): void {
  const names = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
  const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
  if (duplicates.length > 0) throw new Error(`two routes are the same: ${duplicates.join(', ')}`);
}

/**
 * Of two authorization headers Node uses the first, and a proxy in front may have checked the last. Two keys would
 * become one text.
 */
const singleHeaders = ['authorization', 'idempotency-key'];

function authRequestOf(request: Request, context: RequestContext): AuthRequest {
  for (const name of singleHeaders) {
    if (countHeader(request, name) > 1)
      throw new AppError('validation', `A request may have at most one ${name} header. You sent several.`);
  }
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const { host, secure: isSecure, params, ip: address = 'unknown' } = request;
  return { host, isSecure, params, address, context, header };
}

async function answer(
  route: Route,
  request: Request,
  response: Response,
  { address, context, header, isSecure, params: sentParams }: AuthRequest,
  { actor, token, sender }: AuthResult,
): Promise<Reply> {
  route.rateLimit?.use(address);
  const params = route.params && parse(route.params, sentParams);
  const query = route.query && parse(route.query, request.query);
  const sent = route.body === undefined ? undefined : await readBody(request, response, route);
  const bytes = route.readsBytes && sent !== undefined ? (sent as Buffer) : null;
  const body = bytes || !route.body ? undefined : parse(route.body, sent);
  return route.handle({
    params,
    query,
    body,
    bytes: bytes ?? Buffer.alloc(0),
    context: { ...context, actor },
    token,
    sender,
    address,
    isSecure,
    header,
  });
}

/** Express would answer 304 to an If-None-Match with the version of a flag, although not all of its fields have one. */
function send(response: Response, reply: Reply): void {
  writeHead(response, reply);
  if (Buffer.isBuffer(reply.body)) response.end(reply.body);
  else if (reply.body === undefined) response.end();
  else {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify(reply.body));
  }
}

/** How often a request has the header; `name` is in lower case. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === name) count += 1;
  return count;
}

const acceptableRequestId = /^[\w.:-]{1,100}$/;

/** The caller's request id when it is safe in a log and a header, else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && acceptableRequestId.test(given) ? given : randomUUID();
}

export function contextOf(request: Request, timeoutMs: number): RequestContext {
  const traceparent = request.headers.traceparent;
  return {
    requestId: requestIdOf(request),
    actor: null,
    deadline: Date.now() + timeoutMs,
    traceparent: childTraceparent(typeof traceparent === 'string' ? traceparent : null),
  };
}
