import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { Health } from '@yardarm/shared/service';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { openApiDocument } from './documents/openapi.ts';
import { documentPage } from './documents/page.ts';
import { answerToNoRequest, sendError } from './http/error-body.ts';
import { contextOf, countHeader, type Mounting, mount } from './http/mount.ts';
import type { Route } from './http/route.ts';

/** A client that sends its headers or body this slowly holds a socket for nothing; Node's own defaults are five minutes. */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 30_000;

/** Longer than the idle timeout of common load balancers (60 s), so that it is never the gateway that closes a reused connection. */
const keepAliveTimeoutMs = 65_000;

function createApp(log: Logger): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((request, response, next) => {
    response.setHeader('x-content-type-options', 'nosniff');
    if (hasOneHost(request)) return next();
    const error = new AppError('validation', 'The request should have exactly one host header.');
    response.setHeader('connection', 'close');
    sendError(response, error, { requestId: randomUUID(), method: request.method }, log);
  });
  app.get(['/health', '/livez'], (_request, response) => {
    response.json({ health: 'GOOD' });
  });
  return app;
}

/** What is answered before NATS has been reached for the first time: the process is well, and everything else 503. */
function createStartingApp(log: Logger): Express {
  const app = createApp(log);
  app.use((request, response) => {
    const error = new AppError('unavailable', 'There is no connection to NATS yet.', { retryAfterSeconds: 1 });
    sendError(response, error, { requestId: randomUUID(), method: request.method }, log);
  });
  return app;
}

/** RFC 9112, 3.2: exactly one, save in HTTP/1.0. Node would refuse none without a word, and take the first of several. */
function hasOneHost(request: IncomingMessage): boolean {
  const hosts = countHeader(request, 'host');
  return hosts === 1 || (hosts === 0 && request.httpVersion === '1.0');
}

/** What is answered beside the table of routes: nothing of it shows or changes what the system holds. */
export const otherRoutes = ['get /health', 'get /livez', 'get /ready', 'get /docs', 'get /docs/openapi.json'] as const;

/** Everything that the gateway answers: health, the documents, the routes. */
export function createPublicApp(routes: readonly Route[], health: Health, mounting: Mounting): Express {
  const app = createApp(mounting.log);
  if (mounting.trustProxy !== undefined) app.set('trust proxy', mounting.trustProxy);
  app.get('/ready', async (_request, response) => {
    const parts = await health();
    const isReady = Object.values(parts).every((fault) => fault === null);
    response.status(isReady ? 200 : 503).json(isReady ? { health: 'GOOD' } : { health: 'BAD', parts });
  });
  const document = openApiDocument(routes);
  app.get('/docs/openapi.json', (_request, response) => {
    response.json(document);
  });
  const page = documentPage(routes);
  app.get('/docs', (_request, response) => {
    response.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
    response.type('html').send(page);
  });
  mount(app, routes, mounting);
  app.use((request: Request, _response: Response, next: NextFunction) => {
    next(new AppError('not-found', `The path ${request.path.slice(0, 100)} does not exist for ${request.method}.`));
  });
  // Four parameters make it Express's error handler.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const { requestId } = contextOf(request, mounting.requestTimeoutMs);
    sendError(response, error, { requestId, method: request.method }, mounting.log);
  });
  return app;
}

/** The open connections of each listener. */
const connections = new WeakMap<Server, Set<Socket>>();
/** How many requests a connection waits for answers to; a request counts once its head is there. */
const unanswered = new WeakMap<Socket, number>();

function countUnanswered({ socket }: IncomingMessage, response: ServerResponse): void {
  unanswered.set(socket, (unanswered.get(socket) ?? 0) + 1);
  response.on('close', recordAnswered);
}

/** One function for all responses: a closure for each costs as much as the rest of the count. */
function recordAnswered(this: ServerResponse): void {
  const { socket } = this.req;
  unanswered.set(socket, unanswered.get(socket)! - 1);
}

/** Makes the public listener, which answers 503 until it is given something to serve; not listening yet. */
export function createPublicServer(log: Logger): Server {
  const server = createServer({
    keepAliveTimeout: keepAliveTimeoutMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // The app looks for itself, and says what is wrong.
    requireHostHeader: false,
  });
  serveApp(server, createStartingApp(log));
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('checkContinue', (request, response) => {
    // Refused at the door, the client sends no body: what it sends next on this connection would be taken for it.
    response.shouldKeepAlive = false;
    server.emit('request', request, response);
  });
  server.on('checkExpectation', ({ socket }: IncomingMessage) => {
    socket.end(answerToNoRequest('WRONG_EXPECTATION', randomUUID()));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(answerToNoRequest(error.code, randomUUID()));
  });
  return server;
}

/** From here on the listener answers with the app. */
export function serveApp(server: Server, app: RequestListener): void {
  server.removeAllListeners('request');
  server.on('request', countUnanswered);
  server.on('request', app);
}

/** Listens; throws in plain words when the port is taken. */
export async function listen(server: Server, host: string, port: number, log: Logger): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`PORT ${port} is taken on ${host}; set another PORT`) : error),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  log.info({ host, port: actual }, 'listening');
  return actual;
}

/** How long clients are told to leave before the listener closes: a few requests of a busy connection, and a balancer's next look. */
const drainNoticeMs = 500;
/** A connection is idle for an instant between two requests; looked at this often, none stays. */
const sweepMs = 50;
/** For the rest of a head of which a part is there, or the first bytes on a new connection: a packet that was lost comes again in a second. */
const headMs = 2_000;

/**
 * Lets every client go without failing a request: for a moment connections are told to close with their next answer while new ones are
 * still taken, then the listener closes, and connections go as they become idle. Node's closed listener neither takes those for idle on
 * which nothing was ever sent, which clients keep in stock, nor times those out that have sent a part of a head: the first are closed with
 * the listener, the others 2 s later. Resolves when the last has gone.
 */
export async function drainServer(server: Server): Promise<void> {
  const open = connections.get(server) ?? new Set();
  const isSilent = (socket: Socket) => socket.bytesRead === 0;
  const silent = new Set([...open].filter(isSilent));
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
  await sleep(drainNoticeMs);
  const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  const headsUntil = performance.now() + headMs;
  const sweep = () => {
    server.closeIdleConnections();
    for (const socket of open) {
      const isLeft = (silent.has(socket) && isSilent(socket)) || performance.now() >= headsUntil;
      if (isLeft && !unanswered.get(socket)) socket.destroy();
    }
  };
  const sweeping = setInterval(sweep, sweepMs);
  sweep();
  await isClosed;
  clearInterval(sweeping);
}
