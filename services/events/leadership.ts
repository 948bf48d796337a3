import type { Bus } from '@yardarm/shared/bus';
import { type RecordedEvent, recordedHint } from '@yardarm/shared/contracts/events';
import { type Database, type Leader, type Leadership, runAsLeader } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { exportHeads } from './chain/export-heads.ts';
import type { EventsConfig } from './config.ts';
import type { EventsTables } from './db/schema.ts';
import { leaseHeld } from './metrics.ts';
import { record } from './recording/recorder.ts';
import { createRecordedRelay } from './relaying/relay-recorded.ts';
import { keepRetention } from './retention/drop-old-partitions.ts';

/** A transaction may find the lease lost up to a renewal (1.5 s) before the lease itself does. */
const pauseMs = 200;

interface Options {
  db: Database<EventsTables>;
  bus: Bus;
  log: Logger;
  config: Pick<EventsConfig, 'EVENTS_HEAD_EVERY_MINUTES' | 'EVENTS_HEAD_FILE' | 'EVENTS_RETENTION_DAYS'>;
  /** How often the relay of the log reads it without a wake-up. */
  relayPollMs?: number | undefined;
}

/**
 * One replica records and relays: the holder of the lease `recorder`. Every write of recorder and relay is fenced by its epoch, so that a
 * replica that was paused or cut off writes nothing after its leadership. A replica without the lease answers searches all the same.
 */
export function startLeader(options: Options): Leader {
  const { db, log } = options;
  return runAsLeader({ db, name: 'recorder', log, pauseMs }, async (leadership) => {
    leaseHeld.set(1);
    await lead(leadership, options);
    leaseHeld.set(0);
  });
}

/** Ends when the signal of the leadership aborts, and never fails. */
async function lead(leadership: Leadership, { db, bus, log, config, relayPollMs }: Options): Promise<void> {
  const { epoch, signal } = leadership;
  log.info({ epoch }, 'recording');
  const relay = createRecordedRelay({ db, bus, log, pollMs: relayPollMs, leadership });
  const onRecorded = (events: readonly RecordedEvent[]) => {
    relay.offer(events);
    bus.hint(recordedHint, { id: events.at(-1)!.id });
  };
  const file = config.EVENTS_HEAD_FILE;
  await Promise.all([
    relay.run(),
    record({ db, bus, log, leadership, onRecorded }),
    exportHeads({ db, log, signal, everyMinutes: config.EVENTS_HEAD_EVERY_MINUTES, file }),
    keepRetention({ db, log, signal, keepDays: config.EVENTS_RETENTION_DAYS, headsFile: file }),
  ]);
  log.info({ epoch }, 'no longer recording');
}
