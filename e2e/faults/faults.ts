import type { ServiceName } from '@yardarm/shared/contracts';
import { type CrashPoint, crashPoints, signalCrashPoints } from './crash-points.ts';
import { shuffled } from './seeded.ts';
import type { Yardarm } from './yardarm.ts';

export interface Fault {
  name: string;
  /** Causes the fault. The system may not have recovered yet when it resolves. Throws when the fault did not occur. */
  cause(): Promise<void>;
}

/** An armed process may first have to acquire the lease (5 s) or to wait until a claim expires (10 s). */
const reachLimitMs = 60_000;

/** A lease expires after 5 s (packages/shared/db/lease.ts). By then another replica has acquired it and worked. */
const pausedMs = 8_000;

/** Long enough for clients to notice, retry and fail. Requests are answered 503 meanwhile. */
const natsDownMs = 2_000;

const services: ServiceName[] = ['flags', 'events', 'integrations', 'accounts', 'signals', 'gateway'];

const leases: [ServiceName, string][] = [
  ['flags', 'outbox-relay'],
  ['events', 'recorder'],
  ['integrations', 'intake'],
];

export function everyFault(yardarm: Yardarm, random: () => number): Fault[] {
  const { servers } = yardarm;
  const faults: Fault[] = [
    ...crashPoints.map((point) => ({ name: point.name, cause: () => reach(yardarm, point) })),
    ...services.map((service) => ({
      name: `SIGKILL of ${service}`,
      cause: async () => pick(yardarm.replicasOf(service), random).kill(),
    })),
    ...leases.map(([service, lease]) => ({
      name: `SIGSTOP of the leader of ${lease} (${service}), SIGCONT after ${pausedMs / 1_000} s`,
      cause: () => pauseLeader(yardarm, service, lease),
    })),
    { name: 'SIGKILL of NATS', cause: () => servers.crashNats(natsDownMs, 'kept') },
    { name: 'NATS loses its storage', cause: () => servers.crashNats(natsDownMs, 'wiped') },
    { name: 'Postgres stops at once (-m immediate)', cause: () => servers.crashPostgres() },
  ];
  return shuffled(faults, random);
}

/** The faults on the way of a signal to its effect. */
export function signalFaults(yardarm: Yardarm, random: () => number): Fault[] {
  const involved: ServiceName[] = ['signals', 'flags', 'accounts', 'gateway'];
  const faults: Fault[] = [
    ...signalCrashPoints.map((point) => ({ name: point.name, cause: () => reach(yardarm, point) })),
    ...involved.map((service) => ({
      name: `SIGKILL of ${service}`,
      cause: async () => pick(yardarm.replicasOf(service), random).kill(),
    })),
    { name: 'SIGKILL of NATS', cause: () => yardarm.servers.crashNats(natsDownMs, 'kept') },
    { name: 'Postgres stops at once (-m immediate)', cause: () => yardarm.servers.crashPostgres() },
  ];
  return shuffled(faults, random);
}

/** Waits until a replica of the service has died at that point; throws when none has reached it. */
export async function reach(yardarm: Yardarm, { name, service }: Pick<CrashPoint, 'name' | 'service'>): Promise<void> {
  const replicas = yardarm.replicasOf(service);
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the crash point "${name}" was never reached`)), reachLimitMs);
      for (const replica of replicas) replica.arm(name, resolve);
    });
  } finally {
    clearTimeout(timer);
    for (const replica of replicas) replica.disarm();
  }
}

/** Pauses the leader. When it continues, it still believes that it holds the lease. */
async function pauseLeader(yardarm: Yardarm, service: ServiceName, lease: string): Promise<void> {
  const epochOf = (replica: (typeof yardarm.replicas)[number]) => replica.epochs.get(lease) ?? 0;
  const [leader] = yardarm.replicasOf(service).sort((a, b) => epochOf(b) - epochOf(a));
  leader!.pause();
  await new Promise((resolve) => setTimeout(resolve, pausedMs));
  leader!.resume();
}

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!;
}
