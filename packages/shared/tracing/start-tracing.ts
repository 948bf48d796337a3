import type { TracingConfig } from '../config/index.ts';
import type { Logger } from '../log/index.ts';
import { setTracer } from '../telemetry/index.ts';

export interface Tracing {
  /** Makes no more spans and sends those that wait, for `limitMs` at most. Never rejects. */
  stop(limitMs: number): Promise<void>;
}

/**
 * Makes the spans of this process and exports them to the collector of OTEL_EXPORTER_OTLP_ENDPOINT. Returns null
 * without one, and then loads nothing of OpenTelemetry's SDK.
 */
export async function startTracing(service: string, config: TracingConfig, log: Logger): Promise<Tracing | null> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return null;
  const { createExportingTracer } = await import('./otel/exporting-tracer.ts');
  const { tracer, shutDown } = createExportingTracer(service, { ...config, endpoint }, log);
  setTracer(tracer);
  log.info({ sampler: config.OTEL_TRACES_SAMPLER }, 'traces are exported');
  return {
    async stop(limitMs) {
      setTracer(null);
      await shutDown(limitMs);
    },
  };
}
