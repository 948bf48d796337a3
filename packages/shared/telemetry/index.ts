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
export { childTraceparent, newTraceparent, traceIdOf } from './traceparent.ts';
export { version } from './version.ts';
