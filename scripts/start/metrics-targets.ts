import { rmSync } from 'node:fs';
import path from 'node:path';
import { hostAndPort } from './addresses.ts';
import { replaceFile } from './replace-file.ts';
import type { SupervisedService } from './supervisor.ts';

/**
 * While `npm start` runs, a file has the addresses of the services' metrics, in the form of Prometheus'
 * file_sd_configs. Prometheus reads it again whenever it changes.
 */
export function metricsTargetsFile(dataDir: string): string {
  return path.join(dataDir, 'metrics-targets.json');
}

/** `services` are those that have been started. */
export function writeMetricsTargets(dataDir: string, host: string, services: readonly SupervisedService[]): void {
  const groups = services
    .filter(({ healthPort }) => healthPort !== undefined)
    .map(({ spec, healthPort }) => ({
      targets: [hostAndPort(host, healthPort!)],
      labels: { service: spec.name },
    }));
  // It has no secret, and Prometheus usually runs as another user.
  replaceFile(metricsTargetsFile(dataDir), `${JSON.stringify(groups, null, 2)}\n`, 0o644);
}

export function removeMetricsTargets(dataDir: string): void {
  rmSync(metricsTargetsFile(dataDir), { force: true });
}
