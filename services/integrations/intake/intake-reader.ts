import { eventPace, pauseAfter } from '@yardarm/shared/bus';
import { recordedHint } from '@yardarm/shared/contracts/events';
import { findEpoch, runAsLeader } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import { backoff, pause, WakeUp } from '@yardarm/shared/waiting';
import { fetchLogHead } from '../integrations/fetch-log-head.ts';
import { handlePage, skipUnreceived } from './handle-page.ts';
import { fetchPage, logContext } from './log-page.ts';
import { findPosition } from './position.repo.ts';
import { countMissed } from './replays.repo.ts';
import { type IntakeOptions, replay } from './replays.ts';

/**
 * A transaction with so many inserts into two indexes takes tens of milliseconds; more would delay the events in it.
 */
const maxBatch = 200;

/** Hints announce new events at once. The poll finds those whose hint was lost, by a small request a second. */
const pollMs = 1_000;

/** events or Postgres are back within seconds after a restart, and one attempt every few seconds is no load on them. */
const retryMs = { firstMs: 250, maxMs: 5_000 };

/** How soon processAll looks again; a batch takes about as long. */
const recheckMs = 20;

/** The head is one row. After five seconds events is away, which `processAll` reports. */
const headLimitMs = 5_000;

/** The part of a replica that turns recorded events into deliveries while it holds the lease. */
export interface Intake {
  /** The number of events of the log that no replica has handled. */
  lag(): Promise<number>;
  /** Resolves when the replicas have handled all events of the log and all replays. */
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * One replica reads the log, in its order and from a position that is stored with the deliveries.
 *
 *   standing by   Another replica holds the lease, or Postgres is unavailable.
 *   reading       This replica holds the lease (read).
 *   stopped       stop() was called and the lease is released.
 *
 * The lease only saves work. Two replicas may read at once if one was paused; each moves the position only from the
 * expected one, so only one succeeds.
 */
export function startIntake(options: IntakeOptions): Intake {
  const { db, bus, log } = options;
  const head: KnownHead = { id: 0, wakeUp: new WakeUp() };
  bus.onHint(recordedHint, ({ id }) => {
    head.id = id;
    head.wakeUp.wake();
  });
  let isStopped = false;
  const leader = runAsLeader({ db, name: 'intake', log }, async ({ signal }) => {
    await Promise.all([read(options, head, signal), replay(options, signal)]);
  });

  async function lag(): Promise<number> {
    const position = await findPosition(db.kysely);
    return Math.max(0, (await fetchLogHead(bus, logContext(headLimitMs))) - position);
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

/** The end of the log as far as this process knows. After a restore it may be wrong; a read finds the right one. */
interface KnownHead {
  id: number;
  readonly wakeUp: WakeUp;
}

interface ReadState {
  /** The position. Null before it is read, and after a failure. */
  position: { after: number; epoch: string | null } | null;
  /** The last read found the end of the log. */
  isAtEnd: boolean;
  /** No integration was enabled at the last read. */
  isUnreceived: boolean;
}

/**
 * Reads until the signal aborts. States:
 *
 *   beginning  Reads the position and the epoch of the database.
 *   reading    Requests the events after the position, handles them in one transaction, and pauses as the pace says.
 *   skipping   No integration was enabled. Moves the position to the known head without a read, unless one is by now.
 *   waiting    The position is at the end of the log. A hint or the poll ends the wait.
 *   failed     Begins again after a pause.
 */
async function read(options: IntakeOptions, head: KnownHead, signal: AbortSignal): Promise<void> {
  const { log } = options;
  const state: ReadState = { position: null, isAtEnd: false, isUnreceived: false };
  let failures = 0;
  while (!signal.aborted) {
    try {
      if (state.isAtEnd) await waitBeyond(state.position?.after ?? 0, head, signal);
      if (signal.aborted) return;
      const count = await readNext(options, state, head);
      failures = 0;
      if (count < maxBatch) await pause(pauseAfter(count, eventPace), signal);
    } catch (error) {
      state.position = null;
      failures += 1;
      // Only the first failure is a warning.
      log[failures === 1 ? 'warn' : 'debug']({ err: coerceError(error) }, 'cannot read the log; trying again');
      await pause(backoff(failures, retryMs), signal);
    }
  }
}

/** Waits until the log is known to have grown beyond the id, or the next poll. */
async function waitBeyond(id: number, head: KnownHead, signal: AbortSignal): Promise<void> {
  const pollAt = performance.now() + pollMs;
  while (head.id <= id && performance.now() < pollAt && !signal.aborted)
    await head.wakeUp.wait(pollAt - performance.now(), signal);
}

/** Reads a page or skips to the known head, and moves the position. Returns the number of events. */
async function readNext({ db, bus, log, schedule }: IntakeOptions, state: ReadState, head: KnownHead): Promise<number> {
  const position = state.position ?? { after: await findPosition(db.kysely), epoch: await findEpoch(db.kysely) };
  state.position = position;
  if (state.isUnreceived && head.id > position.after) {
    const through = head.id;
    if (await skipUnreceived(db, position.after, through)) {
      position.after = through;
      return 0;
    }
  }
  const page = await fetchPage(bus, { ...position, limit: maxBatch });
  if (page.after > position.after)
    log.warn({ from: position.after + 1, through: page.after }, 'retention has dropped events that were not handled');
  if (page.through !== position.after) {
    const { receivers, isUnreceived } = await handlePage(db, position.after, page);
    schedule(receivers);
    state.isUnreceived = isUnreceived;
    position.after = page.through;
  }
  head.id = Math.max(head.id, page.head);
  state.isAtEnd = page.through >= page.head;
  return page.events.length;
}
