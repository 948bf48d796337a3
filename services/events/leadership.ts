import type { Bus } from '@yardarm/shared/bus';
import { recordedHint } from '@yardarm/shared/contracts/events';
import { type Database, type Leader, type Leadership, runAsLeader } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { Link } from './chain/chain.ts';
import { createHeadComparison, type HeadComparison } from './chain/compare-heads.ts';
import { createHeadExporter } from './chain/export-heads.ts';
import type { EventsConfig } from './config.ts';
import type { EventsTables } from './db/schema.ts';
import { leaderGauge } from './metrics.ts';
import { record } from './recording/recorder.ts';

/** A transaction can find the lease lost up to one renewal (1.5 s) before the lease itself does. */
const pauseMs = 200;

/** The last head takes milliseconds. A disk that hangs must not keep the lease. */
const lastHeadMs = 1_000;

interface Options {
  db: Database<EventsTables>;
  bus: Bus;
  log: Logger;
  config: Pick<EventsConfig, 'EVENTS_HEAD_EVERY_MINUTES' | 'EVENTS_HEADS_DIR'>;
}

/**
 * The holder of the lease `recorder` records; a replica without the lease only answers requests. The epoch fences every
 * write of the recorder: a replica that was paused or cut off writes nothing after its leadership.
 */
export function startLeader(options: Options): Leader {
  const { db, log } = options;
  const comparison = createHeadComparison({ db, log });
  return runAsLeader({ db, name: 'recorder', log, pauseMs }, async (leadership) => {
    leaderGauge.set(1);
    await lead(leadership, comparison, options);
    leaderGauge.set(0);
  });
}

/** Ends when the leadership's signal aborts. It never rejects. */
async function lead(
  leadership: Leadership,
  comparison: HeadComparison,
  { db, bus, log, config }: Options,
): Promise<void> {
  const { epoch, signal } = leadership;
  log.info({ epoch }, 'recording');
  const folder = config.EVENTS_HEADS_DIR;
  const logEveryMinutes = config.EVENTS_HEAD_EVERY_MINUTES;
  const heads = createHeadExporter({ db, log, signal, logEveryMinutes, folder, comparison });
  const onRecorded = (head: Link) => {
    bus.hint(recordedHint, { id: head.id });
    heads.offer(head);
  };
  const exporting = heads.run();
  await record({ db, bus, log, leadership, onRecorded });
  await Promise.race([exporting, pause(lastHeadMs)]);
  log.info({ epoch }, 'no longer recording');
}
