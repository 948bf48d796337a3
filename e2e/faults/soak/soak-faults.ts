import { pause } from '@yardarm/shared/waiting';
import { eventually } from '@yardarm/testing';
import type { Fault } from '../faults.ts';
import type { Replica } from '../replica.ts';
import type { Yardarm } from '../yardarm.ts';
import type { Clock } from './clocks.ts';
import type { SoakServers } from './soak-servers.ts';

/** A lease expires after 5 s, and another replica has worked by then. */
const shortMs = 2_000;
const longMs = 8_000;
/** A request is refused when the clock of its gateway is wrong by half a minute. */
const maxStepSeconds = 20;

/**
 * The kinds of faults. Each call of one chooses what it hits and for how long. The first replica of a service is never
 * killed, so that its memory can be compared over the whole run.
 */
export function soakFaults(
  yardarm: Yardarm<SoakServers>,
  clocks: ReadonlyMap<Replica, Clock>,
  random: () => number,
): { kinds: (() => Fault)[]; leftOut: string[] } {
  const { servers } = yardarm;
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const time = () => pick([shortMs, longMs]);
  const server = () => pick(['Postgres', 'NATS'] as const);
  const seconds = () => (random() < 0.5 ? -1 : 1) * (5 + Math.floor(random() * (maxStepSeconds - 4)));
  const killable = yardarm.replicas.filter(({ name }) => !name.endsWith(' 1'));
  const disk = (which: 'Postgres' | 'NATS') => servers.disks?.[which];

  const kinds: (() => Fault)[] = [
    () => {
      const replica = pick(killable);
      return { name: `SIGKILL of ${replica.name}`, cause: async () => replica.kill() };
    },
    () => ({ name: 'SIGKILL of NATS', cause: () => servers.crashNats(shortMs, 'kept') }),
    () => ({ name: 'Postgres stops at once (-m immediate)', cause: () => servers.crashPostgres() }),
    () => {
      const [replica, ms] = [pick(yardarm.replicas), time()];
      return {
        name: `SIGSTOP of ${replica.name}, SIGCONT after ${ms / 1_000} s`,
        async cause() {
          replica.pause();
          await pause(ms);
          replica.resume();
        },
      };
    },
    () => {
      const [which, ms] = [server(), time()];
      return {
        name: `SIGSTOP of ${which}, SIGCONT after ${ms / 1_000} s`,
        async cause() {
          servers.signal[which]('SIGSTOP');
          await pause(ms);
          servers.signal[which]('SIGCONT');
        },
      };
    },
    () => {
      const [which, ms] = [server(), time()];
      return { name: `${which} is cut off for ${ms / 1_000} s`, cause: () => servers.cut[which](ms) };
    },
  ];
  if (servers.disks !== null)
    kinds.push(() => {
      const [which, ms] = [server(), time()];
      return {
        name: `the disk of ${which} is full for ${ms / 1_000} s`,
        async cause() {
          disk(which)!.fill();
          await pause(ms);
          disk(which)!.clear();
          if (which === 'Postgres') await repairPostgres(yardarm);
          // JetStream stays disabled after it had no space, until the server is started again.
          else await servers.crashNats(0, 'kept');
        },
      };
    });
  if (clocks.size > 0) {
    kinds.push(() => {
      const [replica, offset, ms] = [pick([...clocks.keys()]), seconds(), time()];
      return {
        name: `the clock of ${replica.name} is wrong by ${offset} s`,
        cause: () => step(clocks.get(replica)!, offset, ms, () => replica.readClock()),
      };
    });
    kinds.push(() => {
      const [offset, ms] = [seconds(), time()];
      return {
        name: `the clock of Postgres is wrong by ${offset} s`,
        cause: () => step(servers.clock, offset, ms, () => readClock(yardarm)),
      };
    });
  }
  const leftOut = [
    ...(servers.disks === null ? ['full disks, because only root may mount one'] : []),
    ...(clocks.size === 0 ? ['wrong clocks, because libfaketime is missing'] : []),
  ];
  return { kinds, leftOut };
}

/** Postgres replays its log within seconds after it had no space. */
const answerLimitMs = 20_000;

/** Starts Postgres again, as an operator does, if it has ended or writes nothing any more. */
async function repairPostgres({ database, servers }: Yardarm<SoakServers>): Promise<void> {
  const write = () => database.rows('create temporary table writable (); drop table writable');
  await eventually(write, answerLimitMs).catch(() => servers.crashPostgres());
}

async function readClock({ database }: Yardarm<SoakServers>): Promise<Date> {
  const [row] = await database.rows<{ now: Date }>('select clock_timestamp() as now');
  return row!.now;
}

/** A process reads the offset once in a second, and keeps what it shows for one. A busy machine needs longer. */
const readLimitMs = 10_000;
/** The clock shows whole seconds. */
const inexactSeconds = 3;

/** Throws when the process did not see the step: without that it would be no fault. */
async function step(clock: Clock, offset: number, ms: number, read: () => Promise<Date>): Promise<void> {
  const startedAt = performance.now();
  clock.step(offset);
  try {
    await eventually(async () => {
      const seen = ((await read()).getTime() - Date.now()) / 1_000;
      if (Math.abs(seen - offset) > inexactSeconds)
        throw new Error(`the clock is wrong by ${seen} s and not by ${offset} s`);
    }, readLimitMs);
    await pause(Math.max(0, ms - (performance.now() - startedAt)));
  } finally {
    clock.step(0);
  }
}
