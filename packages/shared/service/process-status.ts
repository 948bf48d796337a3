import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Bus } from '../bus/index.ts';
import type { ServiceName } from '../contracts/contract.ts';
import { processStatus } from '../contracts/process.ts';
import { readGauges, version } from '../telemetry/index.ts';
import { type Health, isReady } from './health.ts';

/** A container that restarts keeps its host name, so the name alone would not tell two processes apart. */
const suffixBytes = 4;

/** Answers `<service>.process.status` for this replica. */
export function serveProcessStatus(bus: Pick<Bus, 'serve'>, service: ServiceName, health: Health): void {
  const instance = `${hostname()}-${randomBytes(suffixBytes).toString('hex')}`;
  const startedAt = new Date().toISOString();
  bus.serve(processStatus[service], async () => {
    const [parts, gauges] = await Promise.all([health(), readGauges()]);
    return { instance, version, startedAt, isReady: isReady(parts), parts, gauges };
  });
}
