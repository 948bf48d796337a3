import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { requireNodeInternals } from '@yardarm/shared/internals';
import type { Logger } from '@yardarm/shared/log';
import { isReady } from '@yardarm/shared/service';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { PartsHealth } from '../health.ts';
import { type Intervals, productionIntervals } from '../intervals.ts';
import type { ServedConsole } from '../pages/console/console.ts';
import { documentPaths, documents } from '../pages/documents.ts';
import { type AnswerOf, contextOf } from '../routing/answering.ts';
import { countHeader } from '../routing/count-header.ts';
import { rawErrorResponse, sendError, wrongExpectation } from '../routing/error-body.ts';
import { mount } from '../routing/mount.ts';
import type { Route } from '../routing/route.ts';
import { sendBody } from '../routing/send-body.ts';
import { isOfrepPath, ofrepErrorFields } from '../sdk/ofrep/error-fields.ts';
import type { HostCheck } from './allowed-hosts.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { allowCrossOrigin, type CrossOrigin, crossOriginPaths } from './cross-origin.ts';

/** A head is one packet. A client that sends it more slowly, or none at all, only occupies a socket. */
const headersTimeoutMs = 15_000;
/** With the body: the largest one, an import of 20 MB, at 5 Mbit/s. Node's default is five minutes. */
const requestTimeoutMs = 30_000;
/** How late these two times may end. Node looks for slow requests once in this time, by default every 30 s. */
const connectionsCheckingIntervalMs = 5_000;

/** Longer than the usual 60 s of load balancers, so the gateway does not close a connection that they reuse. */
const keepAliveTimeoutMs = 65_000;

/**
 * Connections that the kernel keeps until they are accepted. Beyond it a client tries again after 1 s, then after 2 s
 * more. Node's 511 overflow when the SDKs of a restarted gateway connect at once. The kernel allows 4,096 by default.
 */
const backlog = 4_096;

export interface PublicAppOptions {
  answerOf: AnswerOf;
  /** Without it, every host name is accepted. */
  checkHost?: HostCheck;
  requestTimeoutMs: number;
  /** What the links to the documents begin with; empty unless given. */
  basePath?: string;
  /** Without it, / leads to the documents. */
  console?: ServedConsole | undefined;
  /** Express's `trust proxy`; without it no proxy is trusted. */
  trustProxy?: number | string[] | undefined;
  /** Without it, pages of other origins may use no route. */
  crossOrigin?: CrossOrigin;
  log: Logger;
}

function createApp({ checkHost, log }: Pick<PublicAppOptions, 'checkHost' | 'log'>): Express {
  const app = express();
  // A proxy in front that refuses paths compares them with case.
  app.enable('case sensitive routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((request, response, next) => {
    response.setHeader('x-content-type-options', 'nosniff');
    try {
      requireOneHost(request);
      requireChunked(request);
      checkHost?.(request.headers.host);
    } catch (error) {
      response.setHeader('connection', 'close');
      return sendError(response, error, { requestId: randomUUID(), method: request.method }, log);
    }
    next();
  });
  app.get(['/health', '/livez'], (_request, response) => {
    response.json({ health: 'GOOD' });
  });
  return app;
}

/**
 * RFC 9112, 3.2: a request has exactly one host header; HTTP/1.0 needs none. Node would refuse a missing one without a
 * message and use the first of several.
 */
function requireOneHost(request: IncomingMessage): void {
  const hosts = countHeader(request, 'host');
  if (hosts !== 1 && (hosts !== 0 || request.httpVersion !== '1.0'))
    throw new AppError('validation', 'The request should have exactly one host header.');
  // The host of an absolute target has precedence, and the checks see the header.
  const { url, headers } = request;
  if (url![0] === '/' || !URL.canParse(url!)) return;
  if (new URL(url!).host !== URL.parse(`http://${headers.host}`)?.host)
    throw new AppError('validation', 'The request should have the same host in its target as in the host header.');
}

/** Node takes every list that ends with chunked for chunked alone, and a body would be read with its coding. */
function requireChunked({ headers: { 'transfer-encoding': coding = 'chunked' } }: IncomingMessage): void {
  if (coding.toLowerCase() === 'chunked') return;
  throw new AppError(
    'validation',
    `The transfer-encoding header should be chunked. You sent ${redactValue(coding, [])}.`,
  );
}

/** The paths of the routes outside the table, all of GET. They neither show nor change data of the installation. */
export const otherPaths: readonly string[] = [
  ...['/health', '/livez', '/ready', '/', '/docs/openapi'],
  ...documentPaths,
];

export function createPublicApp(routes: readonly Route[], health: PartsHealth, options: PublicAppOptions): Express {
  const app = createApp(options);
  const { basePath = '' } = options;
  if (options.trustProxy !== undefined) app.set('trust proxy', options.trustProxy);
  app.get('/ready', (_request, response) => {
    const parts = health();
    const isWhole = Object.values(parts).every((problem) => problem === null);
    const about = isWhole ? {} : { parts };
    if (isReady(parts)) response.json({ health: 'GOOD', ...about });
    else response.status(503).json({ health: 'BAD', ...about });
  });
  // The address of the documents in the public product.
  app.get('/docs/openapi', (_request, response) => response.redirect(`${basePath}/docs`));
  for (const [path, document] of documents(routes, basePath)) {
    app.get(path, async (request, response) => {
      const { requestId } = contextOf(request, options.requestTimeoutMs);
      sendBody(response, { audience: 'public', requestId }, await document((name) => request.headers[name]));
    });
  }
  if (options.crossOrigin) app.use(crossOriginPaths, allowCrossOrigin(options.crossOrigin));
  mount(app, routes, options.answerOf);
  if (options.console) app.use(serveConsole(options.console, options.requestTimeoutMs));
  else app.get('/', (_request, response) => response.redirect(`${basePath}/docs`));
  app.use((request: Request, _response: Response, next: NextFunction) => {
    next(new AppError('not-found', `The path ${request.path.slice(0, 100)} does not exist for ${request.method}.`));
  });
  // Four parameters make it Express's error handler.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const { requestId } = contextOf(request, options.requestTimeoutMs);
    const fields = isOfrepPath(request.path)
      ? (refusal: AppError, message: string) => ofrepErrorFields(refusal, message, {})
      : undefined;
    sendError(response, error, { requestId, method: request.method, fields }, options.log);
  });
  return app;
}

function serveConsole(served: ServedConsole, requestTimeoutMs: number): RequestHandler {
  return (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const reply = isRead && served(request.path, (name) => request.headers[name]);
    if (!reply) return next();
    const { requestId } = contextOf(request, requestTimeoutMs);
    sendBody(response, { audience: 'public', requestId }, reply);
  };
}

const connectionsOf = new WeakMap<Server, Connections>();

interface PublicServerOptions extends ConnectionLimits {
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
}

/** Makes the public server, not listening yet, and without an app. The options are limits of connections and times. */
export function createPublicServer(options: PublicServerOptions = {}): Server {
  const headersTimeout = options.headersTimeoutMs ?? headersTimeoutMs;
  const server = createServer({
    keepAliveTimeout: keepAliveTimeoutMs,
    headersTimeout,
    requestTimeout: options.requestTimeoutMs ?? requestTimeoutMs,
    connectionsCheckingInterval: Math.min(connectionsCheckingIntervalMs, headersTimeout),
    // The app checks the header itself and answers with a message.
    requireHostHeader: false,
  });
  const connections = new Connections(server, options);
  connectionsOf.set(server, connections);
  server.on('checkContinue', (request, response) => {
    // A refused client sends no body. Its next request on this connection would be read as the body.
    response.shouldKeepAlive = false;
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    connections.serve(request, response, () => {
      const { status, headers, body } = wrongExpectation(randomUUID());
      response.writeHead(status, headers).end(body);
    });
  });
  server.on('request', closeAfterUnreadBody);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !connections.canAnswer(socket as Socket)) socket.destroy();
    else socket.end(rawErrorResponse(error.code, randomUUID()));
  });
  return server;
}

/** A shorter body arrives with its head as a rule, and a client sends its next request on the connection. */
const maxUnreadBytes = 64_000;

/**
 * Closes the connection after an answer that did not wait for a long body, or for one of undeclared length. Node would
 * read it to its end, which a hostile client never sends, and the connection has no other bound meanwhile.
 */
function closeAfterUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  const { 'transfer-encoding': coding, 'content-length': length = '0' } = request.headers;
  if (coding === undefined && Number(length) <= maxUnreadBytes) return;
  response.once('finish', () => {
    if (!request.complete) request.socket.destroySoon();
  });
}

export function serveApp(server: Server, app: RequestListener): void {
  const connections = connectionsOf.get(server)!;
  server.on('request', (request, response) => connections.serve(request, response, app));
}

/**
 * Warns once of a proxy that is not trusted. Behind it every caller has the proxy's address, so all callers share the
 * limits for one address.
 */
export function warnOfUntrustedProxy(server: Server, log: Logger): void {
  const check = ({ headers }: IncomingMessage) => {
    if (headers['x-forwarded-for'] === undefined) return;
    server.off('request', check);
    log.warn('X-Forwarded-For arrived and TRUST_PROXY is not set: every caller behind the proxy has its address');
  };
  server.on('request', check);
}

/** Returns the port. Throws an error that names PORT when the port is in use. */
export async function listen(server: Server, host: string, port: number, log: Logger): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`PORT ${port} is taken on ${host}; set another PORT`) : error),
    );
    server.listen({ port, host, backlog }, resolve);
  });
  requireNodeInternals(server);
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  log.info({ host, port: actual }, 'listening');
  return actual;
}

/** A busy connection is idle only for an instant between two requests, so idle connections are closed this often. */
const sweepEveryMs = 50;

/**
 * Closes every connection without failing a request. For `drainNoticeMs` each answer closes its connection, and new
 * connections are still accepted. Then the listener closes, and connections are closed as they become idle.
 *
 * Node's closed listener does not regard a connection as idle on which nothing was ever sent (clients keep such
 * connections in their pools), and does not time out one with a part of a head. The first are closed with the listener,
 * the others `headTimeoutMs` later. Resolves when the last connection is closed.
 */
export async function drainServer(server: Server, intervals: Partial<Intervals> = {}): Promise<void> {
  const { drainNoticeMs, headTimeoutMs } = { ...productionIntervals, ...intervals };
  const connections = connectionsOf.get(server)!;
  const isUnused = (socket: Socket) => socket.bytesRead === 0;
  const unused = new Set([...connections.open].filter(isUnused));
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
  await sleep(drainNoticeMs);
  const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  const headDeadline = performance.now() + headTimeoutMs;
  const sweep = () => {
    server.closeIdleConnections();
    for (const socket of connections.open) {
      const isExpired = (unused.has(socket) && isUnused(socket)) || performance.now() >= headDeadline;
      if (isExpired && !connections.hasUnanswered(socket)) socket.destroy();
    }
  };
  const sweepTimer = setInterval(sweep, sweepEveryMs);
  sweep();
  await isClosed;
  clearInterval(sweepTimer);
}
