import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { HostCheck } from './allowed-hosts.ts';
import { countHeader, duration, requestIdOf } from './mount.ts';
import type { BytesReply, Route } from './route.ts';

/** A path segment without encoded characters. */
const plainSegment = /^[\w.-]+$/;

interface HotRoute {
  route: Route;
  parameter: string | undefined;
  record: Map<number, (seconds: number) => void>;
}

/**
 * Answers hot reads before Express, which would cost more than the answer: GETs of the routes with `answerNow`, with a
 * token that is fresh in memory. The app gets every other request unchanged: with a query, an encoded path, a cookie,
 * several Host or Authorization headers, no Host header or a token that is not fresh, and every refusal.
 */
export function answerBefore(
  app: RequestListener,
  routes: readonly Route[],
  authenticateNow: Authenticator['authenticateNow'],
  checkHost: HostCheck,
): RequestListener {
  const gets = routes.filter(({ method }) => method === 'get');
  // All GET routes: the path of another route is not a parameter of this one.
  const hotRoutes = new Map<string, HotRoute>(
    gets.map((route) => {
      const parameter = /:(\w+)$/.exec(route.path)?.[1];
      const path = route.path.slice(0, route.path.length - (parameter?.length ?? -1) - 1);
      return [path, { route, parameter, record: new Map() }];
    }),
  );

  function replyTo(request: IncomingMessage, { route, parameter }: HotRoute, segment: string): BytesReply | null {
    if (countHeader(request, 'host') !== 1 || countHeader(request, 'authorization') > 1) return null;
    // The app knows by which protocol a cookie came.
    if (request.headers.cookie !== undefined) return null;
    const header = (name: string) => request.headers[name] as string | undefined;
    const sent = parameter === undefined ? {} : { [parameter]: segment };
    try {
      checkHost(request.headers.host);
      const params = route.params?.parse(sent);
      // Host and protocol matter only to sessions, which come in a cookie.
      const caller = authenticateNow(route, { host: undefined, isSecure: false, params: sent, header });
      return caller && route.answerNow!({ params, token: caller.token, header });
    } catch {
      // The app refuses the request with the same message and logs it.
      return null;
    }
  }

  return (request, response) => {
    const startedAt = performance.now();
    const url = request.url!;
    let hot = hotRoutes.get(url);
    let segment = '';
    if (!hot) {
      const end = url.lastIndexOf('/') + 1;
      hot = hotRoutes.get(url.slice(0, end));
      segment = url.slice(end);
    }
    const isMatch = hot?.parameter === undefined ? segment === '' : plainSegment.test(segment);
    if (request.method !== 'GET' || !hot?.route.answerNow || !isMatch) return app(request, response);
    const reply = replyTo(request, hot, segment);
    if (!reply) return app(request, response);
    send(response, reply, requestIdOf(request));
    let record = hot.record.get(reply.status);
    if (!record) {
      const { method, path } = hot.route;
      record = duration.labels({ method, path, status: reply.status }).observe;
      hot.record.set(reply.status, record);
    }
    record((performance.now() - startedAt) / 1000);
  };
}

/** Passes all headers in one list, which Node handles faster than single headers. */
function send(response: ServerResponse, { status, headers, body }: BytesReply, requestId: string): void {
  const lines = ['x-content-type-options', 'nosniff', 'x-request-id', requestId];
  for (const name in headers) lines.push(name, headers[name]!);
  if (body) lines.push('content-length', String(body.length));
  response.writeHead(status, lines).end(body);
}
