import { hostname } from 'node:os';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../../config/index.ts';
import type { Logger } from '../../log/index.ts';
import { type Tracer, version } from '../../telemetry/index.ts';
import { ReportingExporter } from './reporting-exporter.ts';
import { samplerOf } from './sampler.ts';
import { tracerOver } from './span.ts';

/**
 * What waits for the collector, and what one export has: the defaults of the OpenTelemetry specification. More spans
 * are dropped, so a collector that hangs costs no memory.
 */
const maxQueued = 2_048;
const maxBatch = 512;
/** A process that is killed loses the spans of this time. */
const exportEveryMs = 1_000;

export interface ExportingTracer {
  tracer: Tracer;
  /** Sends the spans that wait, for `limitMs` at most. Never rejects. */
  shutDown(limitMs: number): Promise<void>;
}

/** The tracer of a process whose spans a collector gets. */
export function createExportingTracer(
  service: string,
  config: TracingConfig & { endpoint: string },
  log: Logger,
): ExportingTracer {
  const exporter = new OTLPTraceExporter({
    url: `${config.endpoint}/v1/traces`,
    headers: { ...config.OTEL_EXPORTER_OTLP_HEADERS },
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.version': version,
      'host.name': hostname(),
      'process.pid': process.pid,
      'service.name': `yardarm-${service}`,
      ...config.OTEL_RESOURCE_ATTRIBUTES,
      ...(config.OTEL_SERVICE_NAME === undefined ? {} : { 'service.name': config.OTEL_SERVICE_NAME }),
    }),
    sampler: samplerOf(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new ReportingExporter(exporter, log),
        ...{ maxQueueSize: maxQueued, maxExportBatchSize: maxBatch, scheduledDelayMillis: exportEveryMs },
      }),
    ],
  });
  return {
    tracer: tracerOver(provider.getTracer('yardarm', version)),
    async shutDown(limitMs) {
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const timer = setTimeout(end, limitMs);
      // A failed export is logged, and the spans are lost.
      await Promise.race([provider.shutdown().catch(() => {}), isOver]);
      clearTimeout(timer);
    },
  };
}
