import { type Bus, isLost } from '@yardarm/shared/bus';
import { streams } from '@yardarm/shared/contracts';
import type { RecordedEvent } from '@yardarm/shared/contracts/events';
import {
  type Database,
  epochHeaders,
  findEpoch,
  type Leadership,
  LeaseLostError,
  messageIdIn,
} from '@yardarm/shared/db';
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

/** Publishes in flight. A Node process is fastest with 64 to 512; more only makes a failure repeat more of them. */
const maxInFlight = 256;

/** Offered events in memory, some megabytes. A relay that is further behind reads the log. */
const maxOffered = 2_000;

/** A commit wakes the relay. The poll finds events after a lost wake-up, well before a person notices a delay. */
const defaultPollMs = 250;

/**
 * The position is saved at most this often, because each save costs as much as some events. After a crash the relay
 * publishes the events since the last save again, and the stream drops the duplicates.
 */
const savePositionMs = 100;

/** A restarting NATS is back within seconds, and one attempt every few seconds is no load on it. */
const retry = { firstMs: 250, maxMs: 5_000 };

/**
 * JetStream stores a message with this header only if the stream's last sequence has this value. The header keeps the
 * order of many publishes in flight. Each one names the sequence that the publish before it must get, so after a lost
 * one all later ones are refused. One unacknowledged publish per flag would only keep the order per flag, and two
 * relays (one paused, one that took over) could still interleave.
 */
const expectedLastSequence = 'Nats-Expected-Last-Sequence';

/** The state of the relay within one incarnation of RECORDED; `lastSequence` is that of the stream. */
interface Run extends RelayPosition {
  incarnation: string;
  /** The epoch of the database that contains the log. */
  epoch: string | null;
  /** The id up to which the position is saved, and when it was saved. */
  saved: { lastId: number; at: number };
  /** When the log is read next for events that were not offered. */
  nextReadAt: number;
  /** The stream may already hold events after `lastId`, from a relay that could not save its position. */
  isProbing: boolean;
}

export interface RecordedRelay {
  /** Takes events that were just committed, in order. The relay publishes them without reading the log. */
  offer(events: readonly RecordedEvent[]): void;
  /** Relays until the leadership's signal aborts. */
  run(): Promise<void>;
}

/**
 * Publishes the log on RECORDED in the order of the ids, under one leadership.
 *
 *   beginning   The relay compares the stream with the position. The stream may have another incarnation, or end
 *               before the position, because a server that crashed may have lost its newest messages. The position
 *               then goes back to where the stream would begin by age, and consumers drop duplicates. The relay also
 *               begins after each reconnect.
 *   probing     It publishes one event at a time until one is no duplicate. A duplicate gets no sequence and would
 *               break the chain.
 *   chained     It publishes up to `maxInFlight` events at a time as a chain. All before the first failure are
 *               acknowledged. The position moves over them and is saved at most a moment later.
 *   waiting     Nothing is left to publish. It waits for a wake-up or the poll.
 *   failed      A publish was refused or unanswered, or the database is unavailable. It begins again after a pause.
 *
 * In every state the saved position is at most what the stream stored. The stream drops events that are published again
 * within its two minutes of duplicate detection. After that the consumers drop them.
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
  /** Offered events without a gap in their ids. All others are read from the log. */
  let offered: readonly RecordedEvent[] = [];
  const unsubscribes = [
    bus.onStreamRecreated('RECORDED', restart),
    bus.onStatus((connected) => {
      if (connected) restart();
    }),
  ];

  function restart(): void {
    run = null;
    wakeUp.wake();
  }

  async function waitForEvents({ lastId, saved }: Run): Promise<void> {
    const untilSaveMs = Math.max(0, saved.at + savePositionMs - performance.now());
    const limitMs = saved.lastId < lastId ? Math.min(pollMs, untilSaveMs) : pollMs;
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
        if (current.saved.lastId < current.lastId && performance.now() >= current.saved.at + savePositionMs) {
          await savePosition(current);
        } else if (published === 0) await waitForEvents(current);
      } catch (error) {
        if (error instanceof LeaseLostError) return leadership.end();
        run = null;
        failures += 1;
        const pauseMs = backoff(failures, retry);
        log.warn({ err: error, pauseMs }, 'relaying failed; it continues from its position');
        await pause(pauseMs, signal);
      }
    }
  }

  async function begin(): Promise<Run> {
    await bus.ensureStreams(['RECORDED']);
    const databaseEpoch = await findEpoch(db.kysely);
    const position = await findRelayPosition(db);
    const stream = await bus.streamInfo('RECORDED');
    const { incarnation, lastSequence } = stream;
    if (!isLost(position, stream)) {
      return runFrom({ incarnation, lastSequence, lastId: position.lastId }, databaseEpoch);
    }
    const lastId = await findLastIdBefore(db, streams.RECORDED.maxAgeDays);
    const current = runFrom({ incarnation, lastSequence, lastId }, databaseEpoch);
    await savePosition(current);
    if (position.incarnation !== null)
      log.warn({ afterId: lastId }, 'RECORDED has lost messages; the log is published again after this id');
    return current;
  }

  function runFrom(position: Pick<Run, 'incarnation' | 'lastSequence' | 'lastId'>, databaseEpoch: string | null): Run {
    const saved = { lastId: position.lastId, at: performance.now() };
    return { ...position, epoch: databaseEpoch, saved, nextReadAt: 0, isProbing: true };
  }

  async function publishNext(current: Run): Promise<number> {
    const limit = current.isProbing ? 1 : maxInFlight;
    const offeredEvents = nextOffered(current.lastId, limit);
    const events = offeredEvents.length > 0 ? offeredEvents : await readLog(current, limit);
    if (events.length === 0) return 0;
    const first = current.lastSequence;
    const results = await Promise.allSettled(
      events.map((event, index) => publish(event, first + index, current.epoch)),
    );
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

  /** Reads the next events, unless a read since the last poll reached the end and all offers are published. */
  async function readLog(current: Run, limit: number): Promise<readonly RecordedEvent[]> {
    const hasUnreadOffers = (offered.at(-1)?.id ?? 0) > current.lastId;
    if (!hasUnreadOffers && performance.now() < current.nextReadAt) return [];
    const events = await findAfter(db, current.lastId, limit);
    // Half of the interval, because the timer of the poll may fire a moment early.
    current.nextReadAt = events.length < limit ? performance.now() + pollMs / 2 : 0;
    return events;
  }

  /** The offered events after this id. Older ones are dropped. */
  function nextOffered(lastId: number, limit: number): readonly RecordedEvent[] {
    const [first] = offered;
    if (first === undefined || first.id > lastId + 1) return [];
    offered = offered.slice(lastId + 1 - first.id);
    return offered.slice(0, limit);
  }

  function publish(event: RecordedEvent, afterSequence: number, databaseEpoch: string | null) {
    return bus.publish(`recorded.${event.type}`, event, {
      msgId: messageIdIn(databaseEpoch, `recorded-${event.id}`),
      traceparent: event.traceparent,
      headers: { ...epochHeaders(databaseEpoch), [expectedLastSequence]: String(afterSequence) },
    });
  }

  async function savePosition(current: Run): Promise<void> {
    const { incarnation, lastSequence, lastId } = current;
    const isLeader = await moveRelayPosition(db, fence, { incarnation, lastSequence, lastId });
    if (!isLeader) throw new LeaseLostError(`the lease of epoch ${epoch} has been lost`);
    current.saved = { lastId, at: performance.now() };
  }

  async function saveLastPosition(): Promise<void> {
    if (run === null || run.saved.lastId === run.lastId) return;
    // If this fails, the next relay publishes these events again.
    await savePosition(run).catch((error: unknown) => log.debug({ err: error }, 'the last position was not saved'));
  }

  return {
    offer(events) {
      const [first] = events;
      if (first === undefined) return;
      const isNext = first.id === (offered.at(-1)?.id ?? 0) + 1;
      offered = isNext && offered.length < maxOffered ? [...offered, ...events] : events;
      wakeUp.wake();
    },
    async run() {
      await loop();
      for (const unsubscribe of unsubscribes) unsubscribe();
      await saveLastPosition();
    },
  };
}
