import type { Bus } from '@yardarm/shared/bus';
import { streams } from '@yardarm/shared/contracts';
import type { RecordedEvent } from '@yardarm/shared/contracts/events';
import { type Database, type Leadership, LeaseLostError } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { backoff, pause, WakeUp } from '@yardarm/shared/waiting';
import type { EventsTables } from '../db/schema.ts';
import {
  findAfter,
  findLastIdBefore,
  findRelayPosition,
  moveRelayPosition,
  type RelayPosition,
} from './relay-position.repo.ts';

/** Publishes on their way at once. One Node process reaches its most with 64 to 512; more only makes a failure repeat more. */
const window = 256;

/** Kept in memory for a relay that is a little behind, some megabytes; one that is further behind reads the log. */
const maxOffered = 2_000;

/** The wake after a commit is the fast way; this is the truth when it is lost, well below what a person notices. */
const defaultPollMs = 250;

/**
 * The position is written down so often at the most: each time costs as much as some events do. After a crash so much is published once
 * more, which the stream drops.
 */
const writeDownMs = 100;

/** NATS that restarts is back within seconds; asking every few is no load on one that is not. */
const retry = { firstMs: 250, maxMs: 5_000 };

/**
 * JetStream stores a message with this header only if the stream's last sequence is that number. It is what keeps the order with
 * many publishes on their way: they are sent as a chain, each naming the sequence that the one before it must get, so when one
 * is lost all behind it are refused. One unacknowledged publish per flag would keep the order per flag only, and two
 * relays (one paused, one that took over) could still interleave.
 */
const expectedLastSequence = 'Nats-Expected-Last-Sequence';

/** Where the relay stands within one incarnation of RECORDED; `lastSequence` is the stream's. */
interface Run extends RelayPosition {
  incarnation: string;
  /** Up to which id the position has been written down, and when. */
  written: { lastId: number; at: number };
  /** When the log is looked at next for what was not offered. */
  nextLookAt: number;
  /** The stream may hold events after `lastId` already: published by somebody who could not move the position any more. */
  isProbing: boolean;
}

/** The relay of one leadership. */
export interface RecordedRelay {
  /** What has just been committed to the log, in order: published at once, and without being read from there again. */
  offer(events: readonly RecordedEvent[]): void;
  /** Relays until the signal of the leadership aborts. */
  run(): Promise<void>;
}

/**
 * Publishes the log on RECORDED in the order of the ids, in the name of one leadership.
 *
 *   beginning   the stream is compared with the position. Another incarnation, or one that ends before the position (a server
 *               that crashed may have lost its newest messages): the position goes back to where the stream would begin by
 *               age, and consumers drop what they have. Also whenever the connection comes back.
 *   probing     one event at a time, until one was not there already: a duplicate takes no sequence and would break the chain.
 *   chained     up to `window` events at once, as a chain. All before the first failure are acknowledged: the position
 *               moves over them, and is written down a moment later at the most.
 *   waiting     nothing to publish: until woken, or the poll.
 *   failed      a publish was refused or unanswered, or the database is away: after a pause, beginning.
 *
 * In every state the position that is written down is at most what the stream has taken. What is published again within the stream's
 * two minutes of remembering message ids is dropped there, later by the consumers.
 */
export function createRecordedRelay(options: {
  db: Database<EventsTables>;
  bus: Bus;
  log: Logger;
  pollMs?: number | undefined;
  leadership: Leadership;
}): RecordedRelay {
  const { db, bus, log, pollMs = defaultPollMs, leadership } = options;
  const { epoch, fence, signal } = leadership;
  const wakeUp = new WakeUp();
  let run: Run | null = null;
  /** Of what was offered, a run of ids without a gap; anything else is read from the log. */
  let offered: readonly RecordedEvent[] = [];
  const listenings = [
    bus.onStreamRecreated('RECORDED', beginAnew),
    bus.onStatus((connected) => {
      if (connected) beginAnew();
    }),
  ];

  function beginAnew(): void {
    run = null;
    wakeUp.wake();
  }

  async function waiting({ lastId, written }: Run): Promise<void> {
    const untilWriteDown = Math.max(0, written.at + writeDownMs - performance.now());
    const limitMs = written.lastId < lastId ? Math.min(pollMs, untilWriteDown) : pollMs;
    await wakeUp.wait(limitMs, signal);
  }

  async function loop(): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const current: Run = run ?? (await begin());
        run = current;
        const published = await publishNext(current);
        failures = 0;
        if (current.written.lastId < current.lastId && performance.now() >= current.written.at + writeDownMs) {
          await writeDown(current);
        } else if (published === 0) await waiting(current);
      } catch (error) {
        if (error instanceof LeaseLostError) return leadership.end();
        run = null;
        failures += 1;
        const pauseMs = backoff(failures, retry);
        log.warn({ err: error, pauseMs }, 'relaying failed; it goes on from its position');
        await pause(pauseMs, signal);
      }
    }
  }

  async function begin(): Promise<Run> {
    await bus.ensureStreams(['RECORDED']);
    const { incarnation, lastSequence } = await bus.streamInfo('RECORDED');
    const position = await findRelayPosition(db);
    if (position.incarnation === incarnation && position.lastSequence <= lastSequence) {
      return runFrom({ incarnation, lastSequence, lastId: position.lastId });
    }
    const lastId = await findLastIdBefore(db, streams.RECORDED.maxAgeDays);
    const current = runFrom({ incarnation, lastSequence, lastId });
    await writeDown(current);
    if (position.incarnation !== null) log.warn({ afterId: lastId }, 'RECORDED has lost messages: published again');
    return current;
  }

  function runFrom(position: Pick<Run, 'incarnation' | 'lastSequence' | 'lastId'>): Run {
    return { ...position, written: { lastId: position.lastId, at: performance.now() }, nextLookAt: 0, isProbing: true };
  }

  async function publishNext(current: Run): Promise<number> {
    const limit = current.isProbing ? 1 : window;
    const fresh = takeOffered(current.lastId, limit);
    const events = fresh.length > 0 ? fresh : await look(current, limit);
    if (events.length === 0) return 0;
    const first = current.lastSequence;
    const results = await Promise.allSettled(events.map((event, index) => publish(event, first + index)));
    for (const [index, result] of results.entries()) {
      if (result.status === 'rejected') break;
      current.lastId = events[index]!.id;
      if (result.value.duplicate) continue;
      current.lastSequence = result.value.sequence;
      current.isProbing = false;
    }
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    return events.length;
  }

  /** Reads what follows in the log, unless a look has found nothing since the last poll and all that was offered since is published. */
  async function look(current: Run, limit: number): Promise<readonly RecordedEvent[]> {
    const isMissingSome = (offered.at(-1)?.id ?? 0) > current.lastId;
    if (!isMissingSome && performance.now() < current.nextLookAt) return [];
    const events = await findAfter(db, current.lastId, limit);
    // Half of it, so that the poll's timer, which may come a moment early, always finds it over.
    current.nextLookAt = events.length < limit ? performance.now() + pollMs / 2 : 0;
    return events;
  }

  /** What was offered and follows on this id; what is older is let go. */
  function takeOffered(lastId: number, limit: number): readonly RecordedEvent[] {
    const [first] = offered;
    if (first === undefined || first.id > lastId + 1) return [];
    offered = offered.slice(lastId + 1 - first.id);
    return offered.slice(0, limit);
  }

  function publish(event: RecordedEvent, afterSequence: number) {
    return bus.publish(`recorded.${event.type}`, event, {
      msgId: `recorded-${event.id}`,
      traceparent: event.traceparent,
      headers: { [expectedLastSequence]: String(afterSequence) },
    });
  }

  async function writeDown(current: Run): Promise<void> {
    const { incarnation, lastSequence, lastId } = current;
    const isHeld = await moveRelayPosition(db, fence, { incarnation, lastSequence, lastId });
    if (!isHeld) throw new LeaseLostError(`the lease of epoch ${epoch} has been lost`);
    current.written = { lastId, at: performance.now() };
  }

  async function writeDownLast(): Promise<void> {
    if (run === null || run.written.lastId === run.lastId) return;
    // Whoever goes on publishes it once more if this fails.
    await writeDown(run).catch((error: unknown) => log.debug({ err: error }, 'the last position was not written down'));
  }

  return {
    offer(events) {
      const [first] = events;
      if (first === undefined) return;
      const follows = first.id === (offered.at(-1)?.id ?? 0) + 1;
      offered = follows && offered.length < maxOffered ? [...offered, ...events] : events;
      wakeUp.wake();
    },
    async run() {
      await loop();
      for (const end of listenings) end();
      await writeDownLast();
    },
  };
}
