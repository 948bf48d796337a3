import { randomUUID } from 'node:crypto';
import type { RequestContext } from '@yardarm/shared/bus';
import { payloadError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { childTraceparent, Histogram, metrics } from '@yardarm/shared/telemetry';
import type { Express, Request, Response } from 'express';
import type { z } from 'zod';
import type { Knock, Opened } from '../authentication/doors.ts';
import { sendError } from './error-body.ts';
import { defaultBodyLimitBytes, readBody } from './read-body.ts';
import type { Reply, Route } from './route.ts';
import { type Streams, writeHead } from './streams.ts';

const duration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the request to its answer, by route',
  labelNames: ['method', 'path', 'status'],
  // From a snapshot answered out of memory to the request timeout.
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [metrics],
});

/** What mounting needs of the gateway. */
export interface Mounting {
  openDoor(route: Route, knock: Knock): Promise<Opened>;
  streams: Streams;
  requestTimeoutMs: number;
  log: Logger;
}

/**
 * Mounts the routes. Every request goes the same way: id and trace, door, params and query, body, handler, answer. Whoever may not
 * come in is turned away before a byte of the body is parsed.
 */
export function mount(app: Express, routes: readonly Route[], mounting: Mounting): void {
  for (const route of routes) {
    app[route.method](route.path, async (request: Request, response: Response) => {
      const end = duration.startTimer({ method: route.method, path: route.path });
      const context = contextOf(request, mounting.requestTimeoutMs);
      response.setHeader('x-request-id', context.requestId);
      try {
        const { reply, actor } = await answer(route, request, response, context, mounting);
        if (reply.stream === undefined) send(response, reply);
        else await sendStream(route, request, response, reply, { ...context, actor }, mounting);
      } catch (error) {
        sendError(response, error, context.requestId, mounting.log);
      } finally {
        end({ status: response.statusCode });
      }
    });
  }
}

async function answer(
  route: Route,
  request: Request,
  response: Response,
  context: RequestContext,
  mounting: Mounting,
): Promise<{ reply: Reply; actor: Opened['actor'] }> {
  const opened = await mounting.openDoor(route, {
    authorization: request.headers.authorization,
    params: request.params,
    context,
  });
  const params = parse(route.params, request.params);
  const query = parse(route.query, request.query);
  const sent =
    route.body === undefined
      ? undefined
      : await readBody(request, response, route.bodyLimitBytes ?? defaultBodyLimitBytes);
  const body = parse(route.body, sent);
  const reply = await route.handle({
    params,
    query,
    body,
    context: { ...context, actor: opened.actor },
    token: opened.token,
    sender: opened.sender,
    address: request.ip ?? 'unknown',
    isSecure: request.secure,
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  });
  return { reply, actor: opened.actor };
}

/** Sends a stream, for which the door is knocked at again and again. */
function sendStream(
  route: Route,
  request: Request,
  response: Response,
  reply: Reply,
  context: RequestContext,
  { streams, openDoor }: Mounting,
): Promise<void> {
  const { authorization } = request.headers;
  const knock = (now: RequestContext) => openDoor(route, { authorization, params: request.params, context: now });
  return streams.send(response, reply, knock, context);
}

function parse(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(value);
  if (!result.success) throw payloadError(result.error.issues, value);
  return result.data;
}

function send(response: Response, reply: Reply): void {
  writeHead(response, reply);
  if (Buffer.isBuffer(reply.body)) response.end(reply.body);
  else if (reply.body === undefined) response.end();
  else response.json(reply.body);
}

/** A caller's own request id is kept when it is harmless in a log and a header. */
const acceptableRequestId = /^[\w.:-]{1,100}$/;

export function contextOf(request: Request, timeoutMs: number): RequestContext {
  const given = request.headers['x-request-id'];
  const traceparent = request.headers.traceparent;
  return {
    requestId: typeof given === 'string' && acceptableRequestId.test(given) ? given : randomUUID(),
    actor: null,
    deadline: Date.now() + timeoutMs,
    traceparent: childTraceparent(typeof traceparent === 'string' ? traceparent : null),
  };
}
