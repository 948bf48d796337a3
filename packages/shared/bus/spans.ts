import type { Msg } from '@nats-io/transport-node';
import type { RequestContract } from '../contracts/contract.ts';
import { type ErrorCode, errorCodes } from '../contracts/errors.ts';
import { type Attributes, inSpan, isSampled, type Span, type Tracer } from '../telemetry/index.ts';
import type { BusMessage } from './bus.ts';
import { headerNames, headerOf } from './headers.ts';

// The spans of the bus. Their names and attributes are those of the semantic conventions of OpenTelemetry: a request
// is a remote procedure call, and a message of a stream is sent (`publish`) and processed. The conventions have no
// page for NATS, so its subjects are destinations.
//
// What has no trace context makes no span: polls and other work that nobody asked for would begin thousands of
// traces.

/** Sends a request within a span of the caller. The span ends with the first message of the answer. */
export async function traceRequest<A extends { first: Msg }>(
  tracer: Tracer,
  contract: RequestContract,
  parent: string,
  send: (traceparent: string) => Promise<A>,
): Promise<A> {
  const span = tracer.start(contract.name, { kind: 'client', parent, attributes: callAttributes(contract) });
  return inSpan(tracer, span, async () => {
    const answer = await send(span.traceparent);
    recordOutcome(span, headerOf(answer.first.headers, headerNames.error) ?? 'ok');
    return answer;
  });
}

/** The span of a request that this process answers. Null for one without a trace context. */
export function startServedSpan(
  tracer: Tracer | null,
  contract: RequestContract,
  { traceparent: parent, requestId }: { traceparent: string | null; requestId: string },
): Span | null {
  if (tracer === null || parent === null) return null;
  const attributes = { ...callAttributes(contract), 'yardarm.request.id': requestId };
  return tracer.start(contract.name, { kind: 'server', parent, attributes });
}

function callAttributes({ name, service }: RequestContract): Attributes {
  return { 'rpc.system.name': 'nats', 'rpc.method': name, 'yardarm.service': service };
}

/** `ok` or the code of an error. */
export function recordOutcome(span: Span, outcome: string): void {
  span.set({ 'rpc.response.status_code': outcome });
  const known = Object.hasOwn(errorCodes, outcome) ? errorCodes[outcome as ErrorCode] : undefined;
  // A code that this side does not know is treated as `internal`.
  if (outcome !== 'ok' && (known?.status ?? 500) >= 500) span.fail(outcome);
}

/** Publishes a message within a span, whose trace context the message gets. */
export function tracePublish<A>(
  tracer: Tracer,
  { subject, msgId, parent }: { subject: string; msgId: string; parent: string },
  publish: (traceparent: string) => Promise<A>,
): Promise<A> {
  const [stream] = subject.split('.');
  const span = tracer.start(`publish ${stream}.>`, {
    kind: 'producer',
    parent,
    attributes: {
      ...{ 'messaging.system': 'nats', 'messaging.operation.type': 'send', 'messaging.operation.name': 'publish' },
      ...{ 'messaging.destination.name': subject, 'messaging.destination.template': `${stream}.>` },
      'messaging.message.id': msgId,
    },
  });
  return inSpan(tracer, span, () => publish(span.traceparent));
}

/**
 * Handles messages of a stream within a span. One message continues its trace. Several belong to several traces: then
 * the span begins one of its own, with a link to each of them. Messages whose traces are not exported make no span.
 */
export function traceHandling<A>(
  tracer: Tracer,
  { stream, durable }: { stream: string; durable?: string },
  messages: readonly BusMessage[],
  handle: () => Promise<A>,
): Promise<A> {
  const parents = messages.map(({ traceparent }) => traceparent).filter(isSampled);
  const [parent, second] = parents;
  if (parent === undefined) return handle();
  const isBatch = second !== undefined;
  const span = tracer.start(`process ${stream}`, {
    kind: 'consumer',
    ...(isBatch ? { links: parents } : { parent }),
    attributes: {
      ...{ 'messaging.system': 'nats', 'messaging.operation.type': 'process', 'messaging.operation.name': 'process' },
      ...{ 'messaging.destination.name': stream, 'messaging.consumer.group.name': durable },
      'messaging.batch.message_count': messages.length,
      'messaging.message.id': messages.length === 1 ? (messages[0]?.msgId ?? undefined) : undefined,
    },
  });
  return inSpan(tracer, span, handle);
}
