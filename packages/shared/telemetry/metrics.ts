import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram } from 'prom-client';

/** The process's metrics, served at /metrics beside health. */
export const metrics = new Registry();

/** Adds the runtime's own figures (event loop, heap, CPU) to the registry; once per process, by runService. */
export function collectRuntimeMetrics(): void {
  collectDefaultMetrics({ register: metrics });
}
