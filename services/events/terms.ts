import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@yardarm/shared/bus';
import { type RecordedEvent, recordedHint } from '@yardarm/shared/contracts/events';
import { type Database, startLease } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { startExportingHeads } from './chain/export-heads.ts';
import type { EventsConfig } from './config.ts';
import type { EventsTables } from './db/schema.ts';
import { leaseHeld } from './metrics.ts';
import { startRecording } from './recording/recorder.ts';
import { startRecordedRelay } from './relaying/relay-recorded.ts';
import { startRetention } from './retention/drop-old-partitions.ts';

/** Between two terms: a transaction may find out that the lease is lost a moment before the lease itself does. */
const pauseMs = 200;

/** The part of a replica that records and relays whenever it is its turn. */
export interface Terms {
  /** Ends the term, if there is one, and lets another replica have the next at once. */
  stop(): Promise<void>;
}

/**
 * Of all replicas one records and relays.
 *
 *   standing by   another replica holds the lease, or Postgres is away. Searches are answered all the same.
 *   in a term     the lease is held under one epoch. Recorder and relay run in its name: every transaction of theirs asserts
 *                 it, so that whatever a replica believes that was paused or cut off, it writes nothing in a term that is over.
 *   stopped       after stop(); the lease is given back.
 *
 * A term ends when the lease says that it is lost, or when a transaction finds out first.
 */
export function startTerms(options: {
  db: Database<EventsTables>;
  bus: Bus;
  log: Logger;
  config: Pick<EventsConfig, 'EVENTS_HEAD_EVERY_MINUTES' | 'EVENTS_HEAD_FILE' | 'EVENTS_RETENTION_DAYS'>;
  relayPollMs?: number | undefined;
}): Terms {
  const { db, bus, log, config, relayPollMs: pollMs } = options;
  const stopping = new AbortController();
  let term = new AbortController();
  const lease = startLease({
    db,
    name: 'recorder',
    log,
    onAcquired: () => leaseHeld.set(1),
    onLost: () => {
      leaseHeld.set(0);
      term.abort();
    },
  });

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      term = new AbortController();
      const { epoch } = await lease.whenHeld(stopping.signal);
      if (lease.held()?.epoch === epoch) await serveTerm(epoch, term);
      await sleep(pauseMs, undefined, { signal: stopping.signal });
    }
  }

  async function serveTerm(epoch: number, current: AbortController): Promise<void> {
    log.info({ epoch }, 'recording');
    const recorder = { db, lease, epoch };
    const onLost = () => current.abort();
    const relay = startRecordedRelay({ ...recorder, bus, log, pollMs, onLost });
    const onRecorded = (events: readonly RecordedEvent[]) => {
      relay.offer(events);
      bus.hint(recordedHint, { id: events.at(-1)!.id });
    };
    const recording = startRecording(recorder, { bus, log, onRecorded, onLost });
    const stopExporting = startExportingHeads({
      ...{ db, log, everyMinutes: config.EVENTS_HEAD_EVERY_MINUTES, file: config.EVENTS_HEAD_FILE },
    });
    const stopRetention = startRetention({
      ...{ db, log, keepDays: config.EVENTS_RETENTION_DAYS, headsFile: config.EVENTS_HEAD_FILE },
    });
    await aborted(AbortSignal.any([current.signal, stopping.signal]));
    stopExporting();
    stopRetention();
    await Promise.all([recording.stop(), relay.stop()]);
    log.info({ epoch }, 'no longer recording');
  }

  const running = loop().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    async stop() {
      stopping.abort();
      await running;
      await lease.stop();
      leaseHeld.set(0);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
