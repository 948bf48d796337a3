import { once } from 'node:events';
import { beginning, countBehind, eventPace, type Reading } from '@yardarm/shared/bus';
import { findEpoch, runAsLeader } from '@yardarm/shared/db';
import { pause } from '@yardarm/shared/waiting';
import { skippedMessages } from '../metrics.ts';
import { catchUp, type IntakeOptions } from './catch-up.ts';
import { handleEvents } from './handle-events.ts';
import { countMissed } from './missed-events.repo.ts';
import { findPosition, type IntakePosition } from './position.repo.ts';

/**
 * A transaction with so many inserts into two indexes takes tens of milliseconds; more would delay the events in it.
 */
const maxBatch = 200;

/** How soon processAll looks again; a batch takes about as long. */
const recheckMs = 20;

/** The part of a replica that turns recorded events into deliveries while it holds the lease. */
export interface Intake {
  /** The number of messages of RECORDED that no replica has handled. */
  lag(): Promise<number>;
  /** Resolves when the replicas have handled all messages of RECORDED and all missed events. */
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * One replica reads RECORDED, in its order and from a position that is stored with the deliveries.
 *
 *   standing by   Another replica holds the lease, or Postgres is unavailable.
 *   reading       This replica holds the lease.
 *   stopped       stop() was called and the lease is released.
 *
 * A durable consumer would be simpler, but would break the order of a flag: after a crash the server redelivers
 * messages that were not acknowledged only when their time has expired, behind newer ones. The lease only saves work.
 * Two replicas may read at once if one was paused; each moves the position only from the expected one, so only one
 * succeeds.
 */
export function startIntake(options: IntakeOptions): Intake {
  const { db, bus, log } = options;
  let isStopped = false;
  const leader = runAsLeader({ db, name: 'intake', log }, async ({ signal }) => {
    const reading = read(options);
    await Promise.all([catchUp(options, signal), once(signal, 'abort').then(() => reading.stop())]);
  });

  async function lag(): Promise<number> {
    const position = await findPosition(db.kysely);
    return countBehind(position, await bus.streamInfo('RECORDED'));
  }

  return {
    lag,
    async processAll() {
      const remaining = async () => (await lag()) + (await countMissed(db.kysely));
      while (!isStopped && (await remaining().catch(() => 1)) > 0) await pause(recheckMs);
    },
    async stop() {
      isStopped = true;
      await leader.stop();
    },
  };
}

function read({ db, bus, log, schedule }: IntakeOptions): Reading {
  let expected: IntakePosition = { ...beginning, lastEventId: 0 };
  let epoch: string | null = null;
  return bus.read(
    {
      stream: 'RECORDED',
      maxBatch,
      pace: eventPace,
      async from() {
        // EVENTS is the stream of this service's outbox.
        await bus.ensureStreams(['EVENTS', 'RECORDED']);
        epoch = await findEpoch(db.kysely);
        expected = await findPosition(db.kysely);
        return expected;
      },
    },
    async (batch) => {
      const { position, receivers, invalid, missed } = await handleEvents(db, expected, batch, epoch);
      expected = position;
      schedule(receivers);
      if (missed.length > 0)
        log.warn({ missed }, 'RECORDED did not contain these events; they are fetched from the log');
      for (const { sequence, reason } of invalid) {
        log.error({ sequence, reason }, 'a message of RECORDED is not an event');
        skippedMessages.inc();
      }
    },
  );
}
