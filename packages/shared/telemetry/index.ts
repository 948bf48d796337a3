export { Counter, Gauge, Histogram, collectRuntimeMetrics, metrics } from './metrics.ts';
export { childTraceparent, newTraceparent } from './traceparent.ts';
