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
export { childTraceparent, newTraceparent } from './traceparent.ts';
