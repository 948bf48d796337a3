import { endOfImport } from '../../contracts/events/event-types.ts';
import { backoff } from '../../waiting/index.ts';
import type { OutboxRow } from './rows.ts';

// The states of a row in memory:
//
//   (read) --add--> queued --> in flight --acknowledged--> done --(marked)--> forgotten
//                                  \--failed--> forgotten, with all queued rows of its key
//
// queued     Waits for an earlier row of its key, or for a free place in the window. A row that ends an import also
//            waits for all earlier rows with an earlier place in `endOfImport`, or none. Rows that have failed and are
//            not read again yet are not waited for, so a faulty row blocks its own key alone.
// in flight  Published, not acknowledged. At most one row per key, so that the stream has a key's rows in their order.
// done       In the stream, not yet marked in the database. The next row of its key may be published.
// forgotten  Read again from the database if it is still unpublished there. After a failure its key is not read until
//            the backoff is over, so that no later row of the key overtakes it.
//
// Several failures in a row, over all keys, mean an outage of the stream. Rows are then tried singly, with pauses.

/** 50 in flight are about as fast as more (6-7 thousand per second on two cores). The rest hides latency. */
export const windowSize = 256;
/** Rows in memory: four windows, so that rows are ready when the window has room. At most 1 MB each, usually 2 kB. */
const capacity = 1_024;
/** Fewer failures in a row may concern single rows. */
const outageFailures = 3;
/** Publishing resumes within 5 s after an outage. */
const retry = { firstMs: 100, maxMs: 5_000 };

export interface KeyedPublisherOptions {
  publish(row: OutboxRow): Promise<unknown>;
  /** A row was acknowledged or has failed, so the relay may have work. */
  onChange(): void;
  /** `attempts` counts the attempts of the key since its last success. `isOutage`: rows of other keys fail too. */
  onFailure(row: OutboxRow, error: unknown, attempts: number, isOutage: boolean): void;
}

export class KeyedPublisher {
  readonly #options: KeyedPublisherOptions;
  readonly #queues = new Map<string, OutboxRow[]>();
  readonly #inFlight = new Map<string, OutboxRow>();
  readonly #delayed = new Map<string, { until: number; attempts: number }>();
  readonly #known = new Set<number>();
  readonly #failedSinceRead = new Set<string>();
  #done: OutboxRow[] = [];
  #failuresInARow = 0;
  #pausedUntil = 0;
  #isHalted = false;
  #haltWaiters: (() => void)[] = [];

  constructor(options: KeyedPublisherOptions) {
    this.#options = options;
  }

  freeCapacity(): number {
    if (this.#isHalted || performance.now() < this.#pausedUntil) return 0;
    if (this.#isOutage()) return this.#known.size === 0 ? 1 : 0;
    return capacity - this.#known.size;
  }

  /** The ids and keys that the next read must leave out. `add` drops the rows of keys that fail in the meantime. */
  beginRead(): { ids: number[]; keys: string[] } {
    this.#failedSinceRead.clear();
    const now = performance.now();
    const keys = [...this.#delayed].filter(([, { until }]) => until > now).map(([key]) => key);
    return { ids: [...this.#known], keys };
  }

  /** Adds rows, which are in the order of their ids. */
  add(rows: readonly OutboxRow[]): void {
    if (this.#isHalted) return;
    for (const row of rows) {
      if (this.#failedSinceRead.has(row.ordering_key)) continue;
      this.#known.add(row.id);
      const queue = this.#queues.get(row.ordering_key);
      if (queue) queue.push(row);
      else this.#queues.set(row.ordering_key, [row]);
    }
    this.#fill();
  }

  /** The rows that are in the stream and not marked. Call `forget` when they are marked. */
  done(): readonly OutboxRow[] {
    return this.#done;
  }

  forget(rows: readonly OutboxRow[]): void {
    const marked = new Set(rows);
    for (const row of rows) this.#known.delete(row.id);
    this.#done = this.#done.filter((row) => !marked.has(row));
  }

  /** Forgets the queued rows and waits for those in flight. `done` still returns the acknowledged rows. */
  async halt(): Promise<void> {
    this.#isHalted = true;
    this.#dropQueues();
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => this.#haltWaiters.push(resolve));
  }

  /** Forgets everything and accepts rows again. Call it only after `halt`. */
  reset(): void {
    this.#known.clear();
    this.#delayed.clear();
    this.#done = [];
    this.#failuresInARow = 0;
    this.#pausedUntil = 0;
    this.#isHalted = false;
  }

  #isOutage(): boolean {
    return this.#failuresInARow >= outageFailures;
  }

  #fill(): void {
    if (this.#isHalted) return;
    const isDue = this.#dueRows();
    for (const [key, queue] of this.#queues) {
      if (this.#inFlight.size >= windowSize) return;
      if (this.#inFlight.has(key) || !isDue(queue[0]!)) continue;
      const row = queue.shift()!;
      if (queue.length === 0) this.#queues.delete(key);
      this.#inFlight.set(key, row);
      void this.#publish(row);
    }
  }

  /** Which rows need not wait for rows of other keys. Only imports cost a pass over the rows in memory. */
  #dueRows(): (row: OutboxRow) => boolean {
    if (!this.#queues.values().some(([first]) => phaseOf(first!) > 0)) return () => true;
    const earliest = new Array<number>(endOfImport.length + 1).fill(Number.POSITIVE_INFINITY);
    const note = (row: OutboxRow) => {
      earliest[phaseOf(row)] = Math.min(earliest[phaseOf(row)]!, row.id);
    };
    for (const queue of this.#queues.values()) queue.forEach(note);
    this.#inFlight.forEach(note);
    return (row) => earliest.slice(0, phaseOf(row)).every((id) => id > row.id);
  }

  async #publish(row: OutboxRow): Promise<void> {
    try {
      await this.#options.publish(row);
      this.#succeed(row);
    } catch (error) {
      this.#fail(row, error);
    }
    this.#inFlight.delete(row.ordering_key);
    if (this.#inFlight.size === 0) for (const resolve of this.#haltWaiters.splice(0)) resolve();
    this.#fill();
    this.#options.onChange();
  }

  #succeed(row: OutboxRow): void {
    this.#done.push(row);
    // The outage is over: its other keys need not wait for their backoff.
    if (this.#isOutage()) this.#delayed.clear();
    else this.#delayed.delete(row.ordering_key);
    this.#failuresInARow = 0;
    this.#pausedUntil = 0;
  }

  #fail(row: OutboxRow, error: unknown): void {
    const key = row.ordering_key;
    const attempts = (this.#delayed.get(key)?.attempts ?? 0) + 1;
    this.#delayed.set(key, { until: performance.now() + backoff(attempts, retry), attempts });
    this.#failedSinceRead.add(key);
    this.#known.delete(row.id);
    this.#dropQueue(key);
    this.#failuresInARow += 1;
    if (this.#isOutage()) {
      this.#dropQueues();
      this.#pausedUntil = performance.now() + backoff(this.#failuresInARow - outageFailures + 1, retry);
    }
    this.#options.onFailure(row, error, attempts, this.#isOutage());
  }

  #dropQueues(): void {
    for (const key of this.#queues.keys()) this.#dropQueue(key);
  }

  #dropQueue(key: string): void {
    for (const row of this.#queues.get(key) ?? []) this.#known.delete(row.id);
    this.#queues.delete(key);
  }
}

const phases: ReadonlyMap<string, number> = new Map(endOfImport.map((type, index) => [type, index + 1]));

/** 0 for the events of changes. */
function phaseOf({ type }: OutboxRow): number {
  return phases.get(type) ?? 0;
}
