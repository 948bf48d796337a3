import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Link,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { type Attributes, parseTraceparent, type Span, type SpanOptions, type Tracer } from '../../telemetry/index.ts';

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** The tracer of the process, over one of the SDK. */
export function tracerOver(tracer: OtelTracer): Tracer {
  const running = new AsyncLocalStorage<Span>();
  return {
    start(name, options) {
      const parent = contextOf(options.parent);
      const started = tracer.startSpan(name, optionsOf(options), parent ?? ROOT_CONTEXT);
      return new SpanOfSdk(started);
    },
    within: (span, fn) => running.run(span, fn),
    current() {
      const span = running.getStore();
      return span === undefined || span.hasEnded ? null : span;
    },
  };
}

function optionsOf({ kind, links = [], attributes }: SpanOptions) {
  return { kind: kinds[kind], attributes: { ...attributes }, links: links.flatMap(linkTo) };
}

function linkTo(traceparent: string): Link[] {
  const context = spanContextOf(traceparent);
  return context === null ? [] : [{ context }];
}

function contextOf(traceparent: string | null | undefined) {
  const context = spanContextOf(traceparent);
  return context === null ? null : trace.setSpanContext(ROOT_CONTEXT, context);
}

function spanContextOf(traceparent: string | null | undefined): SpanContext | null {
  const parts = parseTraceparent(traceparent);
  if (parts === null) return null;
  const { traceId, spanId, flags } = parts;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

class SpanOfSdk implements Span {
  readonly traceparent: string;
  readonly #span: OtelSpan;
  hasEnded = false;

  constructor(span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.#span = span;
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes({ ...attributes });
  }

  fail(type: string): void {
    this.#span.setAttribute('error.type', type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#span.end();
  }
}
