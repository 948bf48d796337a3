import type { ServiceName } from '@yardarm/shared/contracts';
import { type CrashPoint, crashPoints } from './crash-points.ts';
import { shuffled } from './seeded.ts';
import type { Yardarm } from './yardarm.ts';

/** Something that goes wrong. */
export interface Fault {
  name: string;
  /** Resolves when it is over, or has been done; the system may still be getting up. Throws when it could not be brought about. */
  strike(): Promise<void>;
}

/** An armed process may first have to become the one that holds the lease (5 s), or to wait for a claim to run out (10 s). */
const reachLimitMs = 60_000;

/** A lease is lost after 5 s (packages/shared/db/lease.ts): by then another replica has it and has worked. */
const pausedMs = 8_000;

/** Clients notice, try again and fail; requests are answered 503 meanwhile. */
const natsAwayMs = 2_000;

const services: ServiceName[] = ['flags', 'events', 'integrations', 'accounts', 'signals', 'gateway'];

/** The leases by which one replica of a service works and the others stand by. */
const leases: [ServiceName, string][] = [
  ['flags', 'outbox-relay'],
  ['events', 'recorder'],
  ['integrations', 'intake'],
];

/** Every fault there is, each once, in an order that `random` decides. */
export function everyFault(yardarm: Yardarm, random: () => number): Fault[] {
  const { servers } = yardarm;
  const faults: Fault[] = [
    ...crashPoints.map((point) => ({ name: point.name, strike: () => reach(yardarm, point) })),
    ...services.map((service) => ({
      name: `SIGKILL of ${service}`,
      strike: async () => pick(yardarm.replicasOf(service), random).kill(),
    })),
    ...leases.map(([service, lease]) => ({
      name: `SIGSTOP of the holder of ${lease} (${service}), SIGCONT after ${pausedMs / 1_000} s`,
      strike: () => pauseHolder(yardarm, service, lease),
    })),
    { name: 'SIGKILL of NATS', strike: () => servers.crashNats(natsAwayMs, 'kept') },
    { name: 'NATS loses its storage', strike: () => servers.crashNats(natsAwayMs, 'wiped') },
    { name: 'Postgres stops at once (-m immediate)', strike: () => servers.crashPostgres() },
  ];
  return shuffled(faults, random);
}

/** Resolves when a replica of the service has died at that point; throws when none got there. */
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

/** Pauses the replica that took the lease last: it wakes up believing that it still holds it. */
async function pauseHolder(yardarm: Yardarm, service: ServiceName, lease: string): Promise<void> {
  const epochOf = (replica: (typeof yardarm.replicas)[number]) => replica.epochs.get(lease) ?? 0;
  const [holder] = yardarm.replicasOf(service).sort((a, b) => epochOf(b) - epochOf(a));
  holder!.pause();
  await new Promise((resolve) => setTimeout(resolve, pausedMs));
  holder!.goOn();
}

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!;
}
