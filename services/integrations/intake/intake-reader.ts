import { once } from 'node:events';
import { eventPace, type Reading } from '@yardarm/shared/bus';
import { runAsLeader } from '@yardarm/shared/db';
import { pause } from '@yardarm/shared/waiting';
import { skippedMessages } from '../metrics.ts';
import { catchUp, type IntakeOptions } from './catch-up.ts';
import { countMissed } from './missed-events.repo.ts';
import { type Position, readPosition } from './position.repo.ts';
import { takeEvents } from './take-events.ts';

/** A transaction of so many inserts of two indexes each takes tens of milliseconds; more would hold back those it has read. */
const maxBatch = 200;

/** How soon processAll looks again: a batch takes about as long. */
const lookAgainMs = 20;

/** The part of a replica that makes deliveries of recorded events while it holds the lease. */
export interface Intake {
  /** How many messages of RECORDED have not been taken, by whichever replica. */
  lag(): Promise<number>;
  /** Resolves when all that RECORDED holds, and all that it missed, has been taken, by whichever replica. */
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Of all replicas one reads RECORDED, in its order and from a position kept beside the deliveries.
 *
 *   standing by   another replica holds the lease, or Postgres is away.
 *   reading       this one holds it.
 *   stopped       after stop(); the lease is given back.
 *
 * A durable consumer would be simpler and break the order of a flag: after a crash the server gives the messages that were not
 * acknowledged again only when their time has run out, behind newer ones. The lease only saves work: two that read at once, one
 * having been paused, are kept apart by the position, which each moves from where it expects it or not at all.
 */
export function startIntake(options: IntakeOptions): Intake {
  const { db, bus, log } = options;
  let isStopped = false;
  const leader = runAsLeader({ db, name: 'intake', log }, async ({ signal }) => {
    const reading = read(options);
    await Promise.all([catchUp(options, signal), once(signal, 'abort').then(() => reading.stop())]);
  });

  async function lag(): Promise<number> {
    // The stream before the position: what is taken between the two looks like less lag, never like more done.
    const stream = await bus.streamInfo('RECORDED');
    const position = await readPosition(db.kysely);
    // Behind the stream's end: the server lost its newest messages, and all of it is read again.
    const isElsewhere = stream.incarnation !== position.incarnation || position.lastSequence > stream.lastSequence;
    if (isElsewhere) return stream.messages;
    return Math.max(0, stream.lastSequence - Math.max(position.lastSequence, stream.firstSequence - 1));
  }

  return {
    lag,
    async processAll() {
      const left = async () => (await lag()) + (await countMissed(db.kysely));
      while (!isStopped && (await left().catch(() => 1)) > 0) await pause(lookAgainMs);
    },
    async stop() {
      isStopped = true;
      await leader.stop();
    },
  };
}

function read({ db, bus, log, schedule }: IntakeOptions): Reading {
  let expected: Position = { incarnation: null, lastSequence: 0, lastEventId: 0 };
  return bus.read(
    {
      stream: 'RECORDED',
      maxBatch,
      pace: eventPace,
      async from() {
        // EVENTS for this service's own outbox.
        await bus.ensureStreams(['EVENTS', 'RECORDED']);
        expected = await readPosition(db.kysely);
        return { incarnation: expected.incarnation, afterSequence: expected.lastSequence };
      },
    },
    async (batch) => {
      const { position, receivers, invalid, missed } = await takeEvents(db, expected, batch);
      expected = position;
      schedule(receivers);
      if (missed.length > 0) log.warn({ missed }, 'RECORDED did not hold these events; they are fetched from the log');
      for (const { sequence, reason } of invalid) {
        log.error({ sequence, reason }, 'a message of RECORDED is no event');
        skippedMessages.inc();
      }
    },
  );
}
