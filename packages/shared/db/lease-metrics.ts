import type { ServiceName } from '../contracts/contract.ts';
import { Counter, metrics, onScrape, ScrapedGauge } from '../telemetry/index.ts';

/** A lease that this process holds or tries to acquire. */
export interface MeasuredLease {
  service: ServiceName;
  name: string;
  isHeld(): boolean;
}

const leases = new Set<MeasuredLease>();

const labelNames = ['service', 'lease'] as const;

const held = new ScrapedGauge({
  name: 'yardarm_db_leases_held',
  help: 'Leases of the name that this process holds: 1 or 0, and for `runs` one for each endpoint',
  labelNames,
});

const failures = new Counter({
  name: 'yardarm_db_leader_failures_total',
  help: 'Failed runs of the work of a lease in this process; it is repeated',
  labelNames,
  registers: [metrics],
});

/** A lease per endpoint has the id at its end. A label has few values. */
function kindOf(name: string): string {
  return name.replace(/-\d+$/, '');
}

let stopReading = () => {};

/** Counts the lease in the metrics, also in those of the status. Returns the function that ends this. */
export function measureLease(lease: MeasuredLease): () => void {
  if (leases.size === 0) {
    stopReading = onScrape('leases', async () => {
      for (const { service, name, isHeld } of leases) held.inc({ service, lease: kindOf(name) }, isHeld() ? 1 : 0);
    });
  }
  leases.add(lease);
  // From 0 on, so that an increase shows the first one.
  failures.inc({ service: lease.service, lease: kindOf(lease.name) }, 0);
  return () => {
    leases.delete(lease);
    if (leases.size === 0) stopReading();
  };
}

/** Counts a failure of a leader's work. The loss of a lease is none. */
export function countLeaderFailure(service: ServiceName, name: string): void {
  failures.inc({ service, lease: kindOf(name) });
}
