import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { ServiceName } from '../../contracts/contract.ts';
import { sourceSequenceHeader } from '../../contracts/streams.ts';
import { coerceError } from '../../errors/index.ts';
import type { Logger } from '../../log/index.ts';
import { eventPace, pauseAfter } from '../../pace/pace.ts';
import { WakeUp } from '../../waiting/index.ts';
import type { Database } from '../database.ts';
import { type Leader, type Leadership, runAsLeader } from '../leadership.ts';
import { LeaseLostError } from '../lease.ts';
import type { SharedTables } from '../tables.ts';
import { KeyedPublisher, windowSize } from './keyed-publisher.ts';
import { measureOutbox } from './metrics.ts';
import { replayBatch } from './replay.ts';
import * as outbox from './rows.ts';

/** What the relay needs of the bus. */
export interface RelayBus {
  /** Resolves when the stream has acknowledged, rejects within seconds. */
  publish(
    subject: string,
    payload: unknown,
    options: { msgId: string; traceparent?: string | null; headers?: Record<string, string> },
  ): Promise<{ sequence: number; duplicate: boolean }>;
  /** Makes the stream when it is missing: whoever publishes first brings it. */
  ensureStreams(names: readonly ['EVENTS']): Promise<void>;
  streamInfo(name: 'EVENTS'): Promise<{ incarnation: string }>;
  /** Returns the way to stop listening. */
  onStreamRecreated(name: 'EVENTS', listener: () => void): () => void;
}

export interface RelayOptions<T extends SharedTables> {
  db: Database<T>;
  bus: RelayBus;
  source: ServiceName;
  log: Logger;
  /** How often the outbox is looked at when nothing says that it should be. */
  pollMs?: number;
  /** For how long marks are gathered. */
  markMs?: number;
}

export interface Relay {
  /** Looks now and not at the next poll. */
  wake(): void;
  /** Resolves when no committed unpublished row is left, whoever publishes them. For tests: drain, never sleep. */
  processAll(): Promise<void>;
  /** Begins nothing more, marks what the stream has, gives the lease back. */
  stop(): Promise<void>;
  lag(): Promise<{ rows: number; oldestSeconds: number }>;
}

/**
 * An event appended in this process is seen at once; one appended in another replica waits for this. A quarter of a second is
 * what a person does not notice, and one statement on an empty index four times a second is what Postgres does not.
 */
const defaultPollMs = 250;
/** Rows taken in one statement; two of them fill the window. */
const readLimit = 512;
/**
 * Marks are gathered for so long, since each is a statement for which the next event waits: at fifty events a second two or three share
 * one, at five hundred 25. What is not marked yet when the process dies is published again, and whoever asks another replica whether all
 * is published waits for that much longer.
 */
const defaultMarkMs = 50;
/** While as many are marked, as many again are in flight. */
const maxUnmarked = windowSize / 2;
/** A day longer than EVENTS keeps (contracts/streams.ts), so that a stream that is lost can be made again whole. */
const keptDays = 8;
const cleaningMs = 60_000;
/** Few enough for a statement of milliseconds; a full one is followed by the next at once. */
const cleaningBatch = 1_000;

const lost = 'the lease of the relay has been lost';

/**
 * Publishes what the outbox holds, one relay of a service at a time (by lease). States:
 *
 *   waiting --lease--> meeting the stream --> relaying --lease lost, error--> waiting
 *                             ^----stream recreated----/
 *
 * waiting             Another replica relays, or nobody can.
 * meeting the stream  Compares the stream's incarnation with the one that the rows' marks speak of. If it is another, all kept rows
 *                     are marked as unpublished before anything is published, so that they come in their order.
 * relaying            Reads unpublished rows and numbers those that are new, publishes (keyed-publisher.ts), marks what the stream has.
 *                     Reading goes first: marks wait until there are many, or for `markMs` since the last, or until a read has found
 *                     nothing, so that whoever drains, and wakes the relay for it, does not wait for them.
 *
 * Whatever a relay was doing when it died is done again by the next: a row is published at least once, with the same message id,
 * and the rows of a key always in their order. A row that is published and not marked is known in memory and not read again; when the
 * relay dies or is interrupted the next one publishes it once more. Every statement that numbers or marks is fenced by the lease's epoch.
 */
export function startRelay<T extends SharedTables>(options: RelayOptions<T>): Relay {
  return new OutboxRelay(options as unknown as RelayOptions<SharedTables>);
}

class OutboxRelay implements Relay {
  readonly #db: Database<SharedTables>;
  readonly #rows: Kysely<SharedTables>;
  readonly #bus: RelayBus;
  readonly #source: ServiceName;
  readonly #log: Logger;
  readonly #pollMs: number;
  readonly #markMs: number;
  readonly #wakeUp = new WakeUp();
  readonly #publisher: KeyedPublisher;
  readonly #stopListening: (() => void)[];
  readonly #leader: Leader;
  #leadership: Leadership | null = null;
  #isStopped = false;
  #isReadDue = true;
  #isStreamCheckDue = true;
  #nextReadAt = 0;
  /** Until then nothing that this process appends is read; whoever wakes the relay does not wait for it. */
  #pacedUntil = 0;
  #nextMarkAt = 0;
  #nextCleaningAt = 0;

  constructor({ db, bus, source, log, pollMs = defaultPollMs, markMs = defaultMarkMs }: RelayOptions<SharedTables>) {
    this.#db = db;
    this.#rows = db.kysely;
    this.#bus = bus;
    this.#source = source;
    this.#log = log;
    this.#pollMs = pollMs;
    this.#markMs = markMs;
    this.#publisher = new KeyedPublisher({
      publish: (row) => this.#publish(row),
      onChange: () => this.#wakeUp.wake(),
      onFailure: (row, error, attempts, isOutage) => this.#noteFailure(row, error, attempts, isOutage),
    });
    const onAppended = () => {
      this.#isReadDue = true;
      this.#wakeUp.wake();
    };
    db.appended.on('committed', onAppended);
    this.#stopListening = [
      measureOutbox(db),
      () => db.appended.off('committed', onAppended),
      bus.onStreamRecreated('EVENTS', () => {
        this.#isStreamCheckDue = true;
        this.#wakeUp.wake();
      }),
    ];
    this.#leader = runAsLeader({ db, name: 'outbox-relay', log }, (leadership) => this.#lead(leadership));
  }

  wake(): void {
    this.#isReadDue = true;
    this.#pacedUntil = 0;
    this.#wakeUp.wake();
  }

  async processAll(): Promise<void> {
    while ((await this.lag()).rows > 0) {
      if (this.#isStopped) throw new Error('the relay has been stopped');
      this.wake();
      // The rows may be another replica's to publish: only the database knows when they are.
      await sleep(10);
    }
  }

  lag(): Promise<{ rows: number; oldestSeconds: number }> {
    return outbox.readLag(this.#rows);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const stopListening of this.#stopListening) stopListening();
    await this.#leader.stop();
  }

  /** Relays until the leadership ends, or an error. */
  async #lead(leadership: Leadership): Promise<void> {
    const { signal } = leadership;
    this.#leadership = leadership;
    this.#publisher.reset();
    this.#isStreamCheckDue = true;
    this.#isReadDue = true;
    try {
      while (!signal.aborted && leadership.isHeld()) {
        if (this.#isStreamCheckDue) await this.#meetStream(leadership);
        await this.#clean();
        const isReading = this.#isTimeToRead();
        if (isReading) await this.#read(leadership);
        const isMarking = this.#isTimeToMark();
        if (isMarking) await this.#mark(leadership);
        if (!isReading && !isMarking) await this.#wakeUp.wait(this.#restMs(), signal);
      }
    } finally {
      await this.#publisher.halt();
    }
    if (leadership.isHeld()) await this.#mark(leadership);
  }

  async #meetStream(leadership: Leadership): Promise<void> {
    this.#isStreamCheckDue = false;
    try {
      await this.#bus.ensureStreams(['EVENTS']);
      const { incarnation } = await this.#bus.streamInfo('EVENTS');
      const known = await outbox.readIncarnation(this.#rows);
      if (incarnation === known) return;
      // What is in flight, or acknowledged and not marked, may have gone to either stream: it is published again with the rest.
      await this.#publisher.halt();
      const marked = await this.#unpublishAll(leadership);
      await this.#db.transaction(async (trx) => {
        await leadership.assertHeld(trx);
        await outbox.writeIncarnation(trx, incarnation);
      });
      this.#publisher.reset();
      this.#isReadDue = true;
      if (known !== null) this.#log.warn({ incarnation, rows: marked }, 'EVENTS is a new stream: publishing again');
    } catch (error) {
      this.#isStreamCheckDue = true;
      throw error;
    }
  }

  async #unpublishAll(leadership: Leadership): Promise<number> {
    for (let total = 0; ; ) {
      const marked = await this.#db.transaction(async (trx) => {
        await leadership.assertHeld(trx);
        return outbox.markUnpublished(trx, new Date(0), replayBatch);
      });
      total += marked;
      if (marked < replayBatch) return total;
    }
  }

  #isTimeToRead(): boolean {
    if (this.#publisher.room() === 0) return false;
    const now = performance.now();
    return (this.#isReadDue && now >= this.#pacedUntil) || now >= this.#nextReadAt;
  }

  async #read({ fence }: Leadership): Promise<void> {
    // Before the statement: a wake during it may speak of a row that it does not see.
    this.#isReadDue = false;
    this.#nextReadAt = performance.now() + this.#pollMs;
    const limit = Math.min(readLimit, this.#publisher.room());
    const rows = await outbox.readUnpublished(this.#rows, fence, this.#publisher.beginRead(), limit);
    if (rows.some((row) => row.source_sequence === null)) throw new LeaseLostError(lost);
    this.#publisher.add(rows);
    this.#pacedUntil = performance.now() + pauseAfter(rows.length, eventPace);
    if (rows.length === limit) this.wake();
    if (rows.length === 0) this.#nextMarkAt = 0;
  }

  #isTimeToMark(): boolean {
    const unmarked = this.#publisher.done().length;
    return unmarked >= maxUnmarked || (unmarked > 0 && performance.now() >= this.#nextMarkAt);
  }

  /** How long there is nothing to do unless the relay is woken. */
  #restMs(): number {
    const due = [
      ...(this.#isReadDue && this.#publisher.room() > 0 ? [this.#pacedUntil] : []),
      ...(this.#publisher.done().length > 0 ? [this.#nextMarkAt] : []),
    ];
    const now = performance.now();
    return Math.min(this.#pollMs, ...due.map((at) => Math.max(0, at - now)));
  }

  async #mark({ fence }: Leadership): Promise<void> {
    const done = [...this.#publisher.done()];
    if (done.length === 0) return;
    const ids = done.map((row) => row.id);
    if (!(await outbox.markPublished(this.#rows, fence, ids))) throw new LeaseLostError(lost);
    this.#publisher.forget(done);
    this.#nextMarkAt = performance.now() + this.#markMs;
  }

  async #clean(): Promise<void> {
    if (performance.now() < this.#nextCleaningAt) return;
    const deleted = await outbox.deleteOld(this.#rows, keptDays, cleaningBatch);
    this.#nextCleaningAt = performance.now() + (deleted === cleaningBatch ? 0 : cleaningMs);
  }

  #publish(row: outbox.OutboxRow): Promise<unknown> {
    // A process that was paused for longer than the lease finds out here, before it says something that a successor has said.
    if (!this.#leadership?.isHeld()) throw new LeaseLostError(lost);
    const payload = { ...JSON.parse(row.payload), createdAt: row.created_at.toISOString() };
    return this.#bus.publish(`evt.${this.#source}.${row.type}`, payload, {
      msgId: row.event_id,
      traceparent: row.traceparent,
      headers: { [sourceSequenceHeader]: String(row.source_sequence) },
    });
  }

  #noteFailure(row: outbox.OutboxRow, error: unknown, attempts: number, isOutage: boolean): void {
    // The stream may have been lost: then the next thing is to find out, not to fill a new one from the middle.
    this.#isStreamCheckDue = true;
    if (error instanceof LeaseLostError) return;
    const fields = { err: coerceError(error), eventId: row.event_id, orderingKey: row.ordering_key, attempts };
    // Five tries of a row while others pass: it is this row, and the rows of its key wait for somebody to look at it.
    if (attempts === 5 && !isOutage) this.#log.error(fields, 'an event cannot be published; its key waits');
    else if (attempts === 1) this.#log.warn(fields, 'an event was not published; it will be tried again');
  }
}
