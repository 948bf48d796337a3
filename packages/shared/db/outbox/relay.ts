import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { eventSubject } from '../../contracts/events/outbox.ts';
import { sourceSequenceHeader } from '../../contracts/streams.ts';
import { coerceError } from '../../errors/index.ts';
import type { Logger } from '../../log/index.ts';
import { eventPace, pauseAfter } from '../../pace/pace.ts';
import { WakeUp } from '../../waiting/index.ts';
import type { Database } from '../database.ts';
import { type Leader, type Leadership, runAsLeader } from '../leadership.ts';
import { LeaseLostError } from '../lease.ts';
import { epochHeaders, findEpoch, messageIdIn } from '../restores.ts';
import type { SharedTables } from '../tables.ts';
import { KeyedPublisher, windowSize } from './keyed-publisher.ts';
import { measureOutbox } from './metrics.ts';
import { replayBatch, unpublishAll } from './replay.ts';
import * as outbox from './rows.ts';

export interface RelayBus {
  /** Resolves when the stream has acknowledged. Rejects within seconds. */
  publish(
    subject: string,
    payload: unknown,
    options: { msgId: string; traceparent?: string | null; headers?: Record<string, string> },
  ): Promise<{ sequence: number; duplicate: boolean }>;
  ensureStreams(names: readonly ['EVENTS']): Promise<void>;
  streamInfo(name: 'EVENTS'): Promise<{ incarnation: string }>;
  /** Returns a function that removes the listener. */
  onStreamRecreated(name: 'EVENTS', listener: () => void): () => void;
}

export interface RelayOptions<T extends SharedTables> {
  db: Database<T>;
  bus: RelayBus;
  log: Logger;
  /** How often the relay reads the outbox without a wake-up. */
  pollMs?: number;
  /** The minimum time between two statements that mark rows. */
  markMs?: number;
}

export interface Relay {
  wake(): void;
  /** Resolves when no committed row is unpublished, whichever relay publishes them. For tests: drain, never sleep. */
  processAll(): Promise<void>;
  /** Waits for the rows in flight, marks the acknowledged ones and releases the lease. */
  stop(): Promise<void>;
  lag(): Promise<{ rows: number; oldestSeconds: number }>;
}

/**
 * The relay sees events of its own process at once, and events of other replicas at its next poll. People do not notice
 * a quarter of a second, and four statements a second on an empty index cost Postgres almost nothing.
 */
const defaultPollMs = 250;
/** Rows per read. Two reads fill the window. */
const readLimit = 512;
/**
 * The next event waits while a mark statement runs. With this interval two or three events share a statement at fifty
 * events a second, 25 at five hundred. A replica that waits for the outbox to be published waits that much longer.
 */
const defaultMarkMs = 50;
/** While these rows are marked, as many others are in flight. */
const maxUnmarked = windowSize / 2;
/** A day longer than EVENTS keeps its messages (contracts/streams.ts), so that a lost stream can be rebuilt. */
const keptDays = 8;
const cleaningMs = 60_000;
/** Few enough for a statement of milliseconds. The next batch follows at once after a full one. */
const cleaningBatch = 1_000;

const lost = 'the lease of the relay has been lost';

/**
 * Publishes the rows of the outbox. A lease allows one relay per service at a time. States:
 *
 *   waiting --lease acquired--> checking the stream --> relaying --lease lost, error--> waiting
 *                                        ^----stream recreated----/
 *
 * waiting              Another replica relays, or none can.
 * checking the stream  Compares the stream's incarnation with the one that the marks refer to. If they differ, all kept
 *                      rows are marked as unpublished before any row is published, so that the rows are published in
 *                      their order.
 * relaying             Reads unpublished rows, numbers the new ones, publishes them (keyed-publisher.ts) and marks the
 *                      acknowledged ones. Reads have priority. Marks wait until there are many, until `markMs` after
 *                      the last mark, or until a read finds no row. A caller that drains wakes the relay and so does
 *                      not wait for marks.
 *
 * A row is published at least once, always with the same message id, and the rows of a key always in their order. The
 * relay keeps published, unmarked rows in memory and does not read them again. If it dies or is interrupted, the next
 * relay publishes them again. Every statement that numbers or marks is fenced by the lease's epoch.
 */
export function startRelay<T extends SharedTables>(options: RelayOptions<T>): Relay {
  return new OutboxRelay(options as unknown as RelayOptions<SharedTables>);
}

class OutboxRelay implements Relay {
  readonly #db: Database<SharedTables>;
  readonly #rows: Kysely<SharedTables>;
  readonly #bus: RelayBus;
  readonly #log: Logger;
  readonly #pollMs: number;
  readonly #markMs: number;
  readonly #wakeUp = new WakeUp();
  readonly #publisher: KeyedPublisher;
  readonly #stopListening: (() => void)[];
  readonly #leader: Leader;
  #leadership: Leadership | null = null;
  /** The epoch of the database, read before any row is published. */
  #epoch: string | null = null;
  #isStopped = false;
  #isReadDue = true;
  #isStreamCheckDue = true;
  #nextReadAt = 0;
  /** Events appended in this process are not read before this time. `wake` clears it. */
  #pacedUntil = 0;
  #nextMarkAt = 0;
  #nextCleaningAt = 0;

  constructor({ db, bus, log, pollMs = defaultPollMs, markMs = defaultMarkMs }: RelayOptions<SharedTables>) {
    this.#db = db;
    this.#rows = db.kysely;
    this.#bus = bus;
    this.#log = log;
    this.#pollMs = pollMs;
    this.#markMs = markMs;
    this.#publisher = new KeyedPublisher({
      publish: (row) => this.#publish(row),
      onChange: () => this.#wakeUp.wake(),
      onFailure: (row, error, attempts, isOutage) => this.#onFailure(row, error, attempts, isOutage),
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
      // Another replica may publish the rows, so only the database shows when they are published.
      await sleep(10);
    }
  }

  lag(): Promise<{ rows: number; oldestSeconds: number }> {
    return outbox.findLag(this.#rows);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const stopListening of this.#stopListening) stopListening();
    await this.#leader.stop();
  }

  async #lead(leadership: Leadership): Promise<void> {
    const { signal } = leadership;
    this.#leadership = leadership;
    this.#publisher.reset();
    this.#isStreamCheckDue = true;
    this.#isReadDue = true;
    try {
      while (!signal.aborted && leadership.isCurrent()) {
        if (this.#isStreamCheckDue) await this.#checkStream(leadership);
        await this.#clean();
        const isReading = this.#isTimeToRead();
        if (isReading) await this.#read(leadership);
        const isMarking = this.#isTimeToMark();
        if (isMarking) await this.#mark(leadership);
        if (!isReading && !isMarking) await this.#wakeUp.wait(this.#idleMs(), signal);
      }
    } finally {
      await this.#publisher.halt();
    }
    if (leadership.isCurrent()) await this.#mark(leadership);
  }

  async #checkStream(leadership: Leadership): Promise<void> {
    this.#isStreamCheckDue = false;
    try {
      await this.#bus.ensureStreams(['EVENTS']);
      const { incarnation } = await this.#bus.streamInfo('EVENTS');
      this.#epoch = await findEpoch(this.#rows);
      const known = await outbox.findIncarnation(this.#rows);
      if (incarnation === known) return;
      // Rows in flight, and acknowledged rows without a mark, may be in either stream. They are published again too.
      await this.#publisher.halt();
      const marked = await this.#unpublishAll(leadership);
      await this.#db.transaction(async (trx) => {
        await leadership.requireCurrent(trx);
        await outbox.updateIncarnation(trx, incarnation);
      });
      this.#publisher.reset();
      this.#isReadDue = true;
      const what = 'EVENTS is another stream, or the database was restored: publishing again';
      if (known !== null) this.#log.warn({ incarnation, rows: marked }, what);
    } catch (error) {
      this.#isStreamCheckDue = true;
      throw error;
    }
  }

  async #unpublishAll(leadership: Leadership): Promise<number> {
    return await unpublishAll((after) =>
      this.#db.transaction(async (trx) => {
        await leadership.requireCurrent(trx);
        return outbox.markUnpublished(trx, { since: new Date(0), after, limit: replayBatch });
      }),
    );
  }

  #isTimeToRead(): boolean {
    if (this.#publisher.freeCapacity() === 0) return false;
    const now = performance.now();
    return (this.#isReadDue && now >= this.#pacedUntil) || now >= this.#nextReadAt;
  }

  async #read({ fence }: Leadership): Promise<void> {
    // Cleared before the statement, because a wake-up during the statement may concern a row that it does not see.
    this.#isReadDue = false;
    this.#nextReadAt = performance.now() + this.#pollMs;
    const limit = Math.min(readLimit, this.#publisher.freeCapacity());
    const rows = await outbox.findUnpublished(this.#rows, fence, this.#publisher.beginRead(), limit);
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

  #idleMs(): number {
    const due = [
      ...(this.#isReadDue && this.#publisher.freeCapacity() > 0 ? [this.#pacedUntil] : []),
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
    // A process that was paused for longer than the lease stops here, before it repeats what a successor has published.
    if (!this.#leadership?.isCurrent()) throw new LeaseLostError(lost);
    const payload = { ...JSON.parse(row.payload), createdAt: row.created_at.toISOString() };
    return this.#bus.publish(eventSubject({ source: this.#db.service, type: row.type }), payload, {
      msgId: messageIdIn(this.#epoch, row.event_id),
      traceparent: row.traceparent,
      headers: { ...epochHeaders(this.#epoch), [sourceSequenceHeader]: String(row.source_sequence) },
    });
  }

  #onFailure(row: outbox.OutboxRow, error: unknown, attempts: number, isOutage: boolean): void {
    // The stream may have been lost. The check comes first, so that a new stream gets all rows in order.
    this.#isStreamCheckDue = true;
    if (error instanceof LeaseLostError) return;
    const fields = { err: coerceError(error), eventId: row.event_id, orderingKey: row.ordering_key, attempts };
    // Five failures of a row while others succeed: the row itself is faulty. Its key waits for the operator.
    if (attempts === 5 && !isOutage) this.#log.error(fields, 'an event cannot be published; its key waits');
    else if (attempts === 1) this.#log.warn(fields, 'an event was not published; it will be tried again');
  }
}
