import { failureOf, inSpan, type Tracer } from '../telemetry/index.ts';
import { OutgoingFailed } from './outgoing-errors.ts';

interface Call {
  url: string;
  method: string;
  headers: Record<string, string>;
}

/**
 * Makes a call within a span, beneath the span of the operation that it belongs to, and without one if there is none.
 * The span has the host and the port of the URL alone: its path and query may be a secret. A call that carries a
 * trace context carries that of its span, so that the spans of the endpoint are beneath it.
 */
export function traceCall<C extends Call, A extends { status: number }>(
  tracer: Tracer,
  call: C,
  send: (call: C) => Promise<A>,
): Promise<A> {
  const parent = tracer.current();
  if (parent === null) return send(call);
  const span = tracer.start(call.method, {
    kind: 'client',
    parent: parent.traceparent,
    attributes: { 'http.request.method': call.method, ...addressOf(call.url) },
  });
  const { headers } = call;
  const traced = 'traceparent' in headers ? { ...headers, traceparent: span.traceparent } : headers;
  const exchange = async () => {
    const answer = await send({ ...call, headers: traced });
    span.set({ 'http.response.status_code': answer.status });
    // For the side that calls, a refusal is a failure too.
    if (answer.status >= 400) span.fail(String(answer.status));
    return answer;
  };
  return inSpan(tracer, span, exchange, (error) => (error instanceof OutgoingFailed ? error.code : failureOf(error)));
}

function addressOf(url: string): Record<string, string | number> {
  if (!URL.canParse(url)) return {};
  const { protocol, hostname, port } = new URL(url);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return {
    ...{ 'server.address': hostname.replace(/^\[|\]$/g, ''), 'server.port': port === '' ? defaultPort : Number(port) },
    'url.scheme': protocol.slice(0, -1),
  };
}
