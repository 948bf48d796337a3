export {
  Counter,
  collectRuntimeMetrics,
  Gauge,
  Histogram,
  metrics,
  onScrape,
  ScrapedGauge,
  scrape,
} from './metrics.ts';
export { childTraceparent, newTraceparent, traceIdOf } from './traceparent.ts';
export { version } from './version.ts';
