import type { ServerResponse } from 'node:http';
import type { TimeSlicer } from '@yardarm/shared/waiting';
import type { Express, Request, Response } from 'express';
import type { AnswerOf, RequestReader } from './answering.ts';
import { parametersOf, parseQuery, refuseBrackets } from './parse.ts';
import { decompressBody, parseBody, parseLargeBody, readBody, readBodyInChunks } from './read-body.ts';
import type { Route, TakeChunk } from './route.ts';

const noParameters: ReadonlySet<string> = new Set();

/** Mounts the routes. Express finds the route and reads params, query and address; `answerOf` does the rest. */
export function mount(app: Express, routes: readonly Route[], answerOf: AnswerOf): void {
  refuseDuplicates(routes);
  for (const route of routes) {
    const known = route.audience === 'admin' ? (route.query ? parametersOf(route.query) : noParameters) : null;
    const reader = {
      host: (request: Request) => request.host,
      isSecure: (request: Request) => request.secure,
      address: (request: Request) => request.ip ?? 'unknown',
      query(request: Request) {
        if (known) refuseBrackets(known, request.query);
        return route.query && parseQuery(route.query, request.query);
      },
      body: (request: Request, response: ServerResponse) => readBody(request, response, route),
      decompress: (sent: Buffer, request: Request, response: ServerResponse) =>
        decompressBody(sent, request, response, route),
      parseBody: (bytes: Buffer) => parseBody(bytes, route),
      parseLargeBody: (bytes: Buffer, slicer: TimeSlicer) => parseLargeBody(bytes, route, slicer),
      bodyInChunks: (request: Request, response: ServerResponse, take: TakeChunk) =>
        readBodyInChunks(request, response, route, take),
    };
    const answer = answerOf(route, reader as RequestReader);
    app[route.method](route.path, (request: Request, response: Response) => answer(request, response, request.params));
  }
}

/** Express would silently use the first of two routes with the same method and path, and its audience. */
function refuseDuplicates(routes: readonly Route[]): void {
  const names = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
  const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
  if (duplicates.length > 0) throw new Error(`two routes are the same: ${duplicates.join(', ')}`);
}
