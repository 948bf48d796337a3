export { Counter, collectRuntimeMetrics, Gauge, Histogram, metrics } from './metrics.ts';
export { childTraceparent, newTraceparent } from './traceparent.ts';
