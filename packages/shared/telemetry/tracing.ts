import { AppError, coerceError } from '../errors/index.ts';
import { newTraceparent } from './traceparent.ts';

// The spans of this process. Nothing here loads OpenTelemetry: `startTracing` (../tracing) sets the tracer of the
// process when a collector is configured.
//
//   off --startTracing--> on --its stop--> off
//
// off  `tracer` is null. Code that could make a span does one comparison and nothing else.
// on   Each span has a parent from a trace context, or begins a trace. The sampler decides whether it is exported. A
//      span that is not exported has a trace context too, which passes the decision on.
//
// A span has no secret, payload, query, path, e-mail or name of a person: only ids, names of operations, statuses.

/** Values of few kinds. A property without a value is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanOptions {
  kind: SpanKind;
  /** The trace context to continue. Without one, or with a malformed one, the span begins a trace. */
  parent?: string | null | undefined;
  /** Trace contexts of other traces that led to this span, such as those of the messages of a batch. */
  links?: readonly string[];
  attributes: Attributes;
}

/** One operation with its begin and end. */
export interface Span {
  /** The trace context for what the operation causes. */
  readonly traceparent: string;
  readonly hasEnded: boolean;
  set(attributes: Attributes): void;
  /**
   * Marks the operation as failed: `type` is a status, a code or the class of an error, never its message. An answer
   * that refuses a request (4xx) is no failure.
   */
  fail(type: string): void;
  /** Later calls on the span do nothing. */
  end(): void;
}

export interface Tracer {
  start(name: string, options: SpanOptions): Span;
  /** Runs `fn`. What it starts, also asynchronously, finds the span by `current` until the span ends. */
  within<R>(span: Span, fn: () => R): R;
  /** The span in which the caller runs. Null outside of one and after its end. */
  current(): Span | null;
}

/** Null while no spans are made. Importers see each change. */
export let tracer: Tracer | null = null;

export function setTracer(next: Tracer | null): void {
  tracer = next;
}

/**
 * Runs `fn` within the span and ends the span with it. `typeOf` gives the type of a failure by the error of `fn`, and
 * null for an error that is an answer.
 */
export async function inSpan<R>(
  { within }: Tracer,
  span: Span,
  fn: () => Promise<R>,
  typeOf: (error: unknown) => string | null = failureOf,
): Promise<R> {
  try {
    return await within(span, fn);
  } catch (error) {
    const type = typeOf(error);
    if (type !== null) span.fail(type);
    throw error;
  } finally {
    span.end();
  }
}

/** Runs `fn` in a trace of its own, for a change that nobody asked for. Passes the trace context for what it causes. */
export function inNewTrace<R>(name: string, fn: (traceparent: string) => Promise<R>): Promise<R> {
  if (tracer === null) return fn(newTraceparent());
  const span = tracer.start(name, { kind: 'internal', attributes: {} });
  return inSpan(tracer, span, () => fn(span.traceparent));
}

/** What failed: the code of an error of the side that answers, or the class of any other. Null for a refusal (4xx). */
export function failureOf(error: unknown): string | null {
  if (!(error instanceof AppError)) return coerceError(error).name;
  return error.status >= 500 ? error.code : null;
}
