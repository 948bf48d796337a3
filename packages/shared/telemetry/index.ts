export {
  Counter,
  collectRuntimeMetrics,
  Gauge,
  Histogram,
  metrics,
  onScrape,
  readGauges,
  ScrapedGauge,
  scrape,
} from './metrics.ts';
export { childTraceparent, isSampled, newTraceparent, parseTraceparent, traceIdOf } from './traceparent.ts';
export {
  type Attributes,
  failureOf,
  inNewTrace,
  inSpan,
  type Span,
  type SpanKind,
  type SpanOptions,
  setTracer,
  type Tracer,
  tracer,
} from './tracing.ts';
export { version } from './version.ts';
