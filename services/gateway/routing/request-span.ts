import type { IncomingMessage } from 'node:http';
import type { Span, Tracer } from '@yardarm/shared/telemetry';
import type { Route } from './route.ts';

/**
 * The span of a request of a route. It continues the trace of the caller. It has the route and never the path: paths
 * have tickets and names. Addresses, agents and hosts of callers are left out too.
 */
export function startRequestSpan(
  tracer: Tracer,
  { headers }: IncomingMessage,
  { method, path, operationId }: Route,
  requestId: string,
): Span {
  const { traceparent } = headers;
  const verb = method.toUpperCase();
  return tracer.start(`${verb} ${path}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : null,
    attributes: {
      ...{ 'http.request.method': verb, 'http.route': path },
      ...{ 'yardarm.operation': operationId, 'yardarm.request.id': requestId },
    },
  });
}

/** The gateway refuses a request with a 4xx, which is an answer. */
export function endRequestSpan(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}
