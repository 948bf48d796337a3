import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { AppError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { Health } from '@yardarm/shared/service';
import express, { type NextFunction, type Request, type Response } from 'express';
import { openApiDocument } from './documents/openapi.ts';
import { answerToNoRequest, sendError } from './http/error-body.ts';
import { contextOf, type Mounting, mount } from './http/mount.ts';
import type { Route } from './http/route.ts';

/** The version in the documents; the package's. */
const version = '0.1.0';

/** A client that sends its headers or body this slowly holds a socket for nothing; Node's own defaults are five minutes. */
const headersTimeoutMs = 15_000;
const requestTimeoutMs = 30_000;

/** Longer than the idle timeout of common load balancers (60 s), so that it is never the gateway that closes a reused connection. */
const keepAliveTimeoutMs = 65_000;

/** Makes the public listener; not listening yet. */
export function createPublicServer(routes: readonly Route[], health: Health, mounting: Mounting): Server {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_request, response, next) => {
    response.setHeader('x-content-type-options', 'nosniff');
    next();
  });
  app.get(['/health', '/livez'], (_request, response) => {
    response.json({ health: 'GOOD' });
  });
  app.get('/ready', async (_request, response) => {
    const parts = await health();
    const isReady = Object.values(parts).every((fault) => fault === null);
    response.status(isReady ? 200 : 503).json(isReady ? { health: 'GOOD' } : { health: 'BAD', parts });
  });
  const document = openApiDocument(routes, version);
  app.get('/docs/openapi.json', (_request, response) => {
    response.json(document);
  });
  mount(app, routes, mounting);
  app.use((request: Request, _response: Response, next: NextFunction) => {
    next(new AppError('not-found', `The path ${request.path.slice(0, 100)} does not exist for ${request.method}.`));
  });
  // Four parameters make it Express's error handler.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendError(response, error, contextOf(request, mounting.requestTimeoutMs).requestId, mounting.log);
  });
  const server = createServer(
    { keepAliveTimeout: keepAliveTimeoutMs, headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs },
    app,
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(answerToNoRequest(error.code, randomUUID()));
  });
  return server;
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

/** Takes no new connection, lets the requests in flight finish, and closes idle keep-alive connections at once. */
export function drainServer(server: Server): Promise<void> {
  const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  return isClosed;
}
