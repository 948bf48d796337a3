import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, eventPace, type Reading } from '@yardarm/shared/bus';
import { type Database, startLease } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Workers } from '../deliveries/workers.ts';
import { setAsideMessages } from '../metrics.ts';
import { startCatchUp } from './catch-up.ts';
import { countMissed } from './missed-events.repo.ts';
import { readPosition } from './position.repo.ts';
import { type Believed, readBelieved, takeEvents } from './take-events.ts';

/** A transaction of so many inserts of two indexes each takes tens of milliseconds; more would hold back those it has read. */
const maxBatch = 200;

/** How soon processAll looks again: a batch takes about as long. */
const lookAgainMs = 20;

/** The part of a replica that turns recorded events into deliveries whenever it is its turn. */
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
 * having been paused, are told apart by the position, which each moves from where it believes it to be or not at all.
 */
export function startIntake(options: {
  db: Database<IntegrationsTables>;
  bus: Bus;
  log: Logger;
  workers: Pick<Workers, 'wake' | 'takeIn'>;
}): Intake {
  const { db, bus, log } = options;
  let reading: Pick<Reading, 'stop'> | null = null;
  let isStopped = false;
  const lease = startLease({
    db,
    name: 'intake',
    log,
    onAcquired() {
      if (!isStopped) reading = bothOf(read(options), startCatchUp(options));
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
      const left = async () => (await lag()) + (await countMissed(db.kysely));
      while (!isStopped && (await left().catch(() => 1)) > 0) await sleep(lookAgainMs);
    },
    async stop() {
      isStopped = true;
      await reading?.stop();
      await lease.stop();
    },
  };
}

function bothOf(...parts: { stop(): Promise<void> }[]): { stop(): Promise<void> } {
  return {
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}

function read({ db, bus, log, workers }: Parameters<typeof startIntake>[0]): Reading {
  let believed: Believed = { incarnation: null, lastSequence: 0, lastEventId: 0, integrations: [] };
  return bus.read(
    {
      stream: 'RECORDED',
      maxBatch,
      pace: eventPace,
      async from() {
        // EVENTS for this service's own outbox.
        await bus.ensureStreams(['EVENTS', 'RECORDED']);
        believed = await readBelieved(db.kysely);
        return { incarnation: believed.incarnation, afterSequence: believed.lastSequence };
      },
    },
    async (batch) => {
      const taken = await workers.takeIn((limits) => takeEvents(db, believed, batch, limits));
      const { setAside, missed } = taken;
      ({ believed } = taken);
      if (missed.length > 0) log.warn({ missed }, 'RECORDED did not hold these events; they are fetched from the log');
      for (const { sequence, reason } of setAside) {
        log.error({ sequence, reason }, 'a message of RECORDED is no event');
        setAsideMessages.inc();
      }
    },
  );
}
