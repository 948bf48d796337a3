import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ServiceName, serviceNames } from '@yardarm/shared/contracts';

export interface RegisteredMetric {
  name: string;
  type: string;
  labels: readonly string[];
  help: string;
}

/** The metrics that a process of the service registers. The process imports no other service. */
async function metricsOf(service: ServiceName): Promise<RegisteredMetric[]> {
  const program = `
    await import('@yardarm/${service}/service');
    const { metrics } = await import('@yardarm/shared/telemetry');
    const rows = metrics.getMetricsAsArray().map(({ name, type, labelNames, help }) =>
      ({ name, type, labels: labelNames, help }));
    process.stdout.write(JSON.stringify(rows), () => process.exit());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: new URL('../..', import.meta.url),
  });
  return JSON.parse(stdout);
}

let registered: Promise<Record<ServiceName, RegisteredMetric[]>> | null = null;

/** The metrics of each service, without those of the runtime. The services' processes start once. */
export function registeredMetrics(): Promise<Record<ServiceName, RegisteredMetric[]>> {
  registered ??= Promise.all(serviceNames.map(async (service) => [service, await metricsOf(service)] as const)).then(
    (entries) => Object.fromEntries(entries) as Record<ServiceName, RegisteredMetric[]>,
  );
  return registered;
}
