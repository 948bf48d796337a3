import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Reading } from '@yardarm/shared/bus';
import { type Database, startLease } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { IntegrationsTables } from '../db/schema.ts';
import { missedMessages, setAsideMessages } from '../metrics.ts';
import { type Position, readPosition } from './position.repo.ts';
import { takeEvents } from './take-events.ts';

/** A transaction of so many inserts of two indexes each takes tens of milliseconds; more would hold back those it has read. */
const maxBatch = 200;

/** How soon processAll looks again: a batch takes about as long. */
const lookAgainMs = 20;

/** The part of a replica that turns recorded events into deliveries whenever it is its turn. */
export interface Intake {
  /** How many messages of RECORDED have not been taken, by whichever replica. */
  lag(): Promise<number>;
  /** Resolves when all that RECORDED holds has been taken, by whichever replica. */
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
 * having been paused, are told apart by the position, which each moves from where it believes it to be or not at all.
 */
export function startIntake(options: {
  db: Database<IntegrationsTables>;
  bus: Bus;
  log: Logger;
  onTaken(): void;
}): Intake {
  const { db, bus, log } = options;
  let reading: Reading | null = null;
  let isStopped = false;
  const lease = startLease({
    db,
    name: 'intake',
    log,
    onAcquired() {
      if (!isStopped) reading = read(options);
    },
    onLost() {
      const over = reading;
      reading = null;
      over?.stop().catch((error: unknown) => log.warn({ err: coerceError(error) }, 'the intake did not stop cleanly'));
    },
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
      while (!isStopped && (await lag().catch(() => 1)) > 0) await sleep(lookAgainMs);
    },
    async stop() {
      isStopped = true;
      await reading?.stop();
      await lease.stop();
    },
  };
}

function read({ db, bus, log, onTaken }: Parameters<typeof startIntake>[0]): Reading {
  let believed: Position = { incarnation: null, lastSequence: 0 };
  return bus.read(
    {
      stream: 'RECORDED',
      maxBatch,
      async from() {
        // EVENTS for this service's own outbox.
        await bus.ensureStreams(['EVENTS', 'RECORDED']);
        believed = await readPosition(db.kysely);
        return { incarnation: believed.incarnation, afterSequence: believed.lastSequence };
      },
    },
    async (batch) => {
      tellMissed(believed, batch.incarnation, batch.messages[0]!.sequence, log);
      const { position, deliveries, setAside } = await takeEvents(db, believed, batch);
      believed = position;
      for (const { sequence, reason } of setAside) {
        log.error({ sequence, reason }, 'a message of RECORDED is no event');
        setAsideMessages.inc();
      }
      if (deliveries > 0) onTaken();
    },
  );
}

/** Within one incarnation every sequence is a message: a jump is messages that the stream dropped before they were taken. */
function tellMissed(believed: Position, incarnation: string, first: number, log: Logger): void {
  const missed = first - believed.lastSequence - 1;
  if (believed.incarnation !== incarnation || missed <= 0) return;
  log.error(
    { missed, from: believed.lastSequence + 1 },
    'RECORDED dropped messages that were not taken: replay the log',
  );
  missedMessages.inc(missed);
}
