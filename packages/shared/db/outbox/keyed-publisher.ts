import { backoff } from '../../waiting/index.ts';
import type { OutboxRow } from './rows.ts';

// What becomes of a row in memory:
//
//   (read) --add--> queued --> in flight --acknowledged--> done --(marked)--> forgotten
//                                  \--failed--> forgotten, with all that is queued behind it
//
// queued     Waits behind an earlier row of its key, or for room in the window.
// in flight  Published, not acknowledged; one per key, so that the stream has a key's rows in their order.
// done       In the stream; waits to be marked in the database. The next row of its key may go.
// forgotten  Read again from the database if it is still unpublished there. After a failure its key is held back until its
//            backoff is over, so that nothing later of the same key overtakes it.
//
// Failures in a row, over all keys, mean that it is the stream and not a row: then one row at a time tries, with pauses.

/** Publishes with 50 in flight are about as fast as with more (6-7 thousand per second on two cores); the rest hides latency. */
export const windowSize = 256;
/** Rows in memory: four windows, so that the next are there when the window has room. At most 1 MB each, usually 2 kB. */
const capacity = 1_024;
/** Fewer are accidents. */
const failuresOfAnOutage = 3;
/** After an outage events flow again within 5 s. */
const retry = { firstMs: 100, maxMs: 5_000 };

export interface KeyedPublisherOptions {
  publish(row: OutboxRow): Promise<unknown>;
  /** Something has been acknowledged, failed or ended: there may be work for the relay. */
  onChange(): void;
  /** `attempts` counts those of this key since its last success; `isOutage` says that others fail too. */
  onFailure(row: OutboxRow, error: unknown, attempts: number, isOutage: boolean): void;
}

/** Publishes rows, many keys at a time and one row per key at a time. */
export class KeyedPublisher {
  readonly #options: KeyedPublisherOptions;
  readonly #queues = new Map<string, OutboxRow[]>();
  readonly #inFlight = new Map<string, OutboxRow>();
  readonly #heldBack = new Map<string, { until: number; attempts: number }>();
  readonly #known = new Set<number>();
  readonly #failedSinceRead = new Set<string>();
  #done: OutboxRow[] = [];
  #failuresInARow = 0;
  #pausedUntil = 0;
  #isHalted = false;
  #settled: (() => void)[] = [];

  constructor(options: KeyedPublisherOptions) {
    this.#options = options;
  }

  /** How many rows it has room for. */
  room(): number {
    if (this.#isHalted || performance.now() < this.#pausedUntil) return 0;
    if (this.#isOutage()) return this.#known.size === 0 ? 1 : 0;
    return capacity - this.#known.size;
  }

  /** What the next read has to leave out. Rows of a key that fails between this and `add` are dropped there. */
  beginRead(): { ids: number[]; keys: string[] } {
    this.#failedSinceRead.clear();
    const now = performance.now();
    const keys = [...this.#heldBack].filter(([, { until }]) => until > now).map(([key]) => key);
    return { ids: [...this.#known], keys };
  }

  /** Takes rows in the order of their ids. */
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

  /** The rows that are in the stream and not marked; `forget` them once they are. */
  done(): readonly OutboxRow[] {
    return this.#done;
  }

  forget(rows: readonly OutboxRow[]): void {
    const marked = new Set(rows);
    for (const row of rows) this.#known.delete(row.id);
    this.#done = this.#done.filter((row) => !marked.has(row));
  }

  /** Begins nothing more, waits for what is in flight, and forgets what is queued. `done` still says what was acknowledged. */
  async halt(): Promise<void> {
    this.#isHalted = true;
    this.#dropQueues();
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
  }

  /** Forgets everything and begins anew. Only after `halt`. */
  reset(): void {
    this.#known.clear();
    this.#heldBack.clear();
    this.#done = [];
    this.#failuresInARow = 0;
    this.#pausedUntil = 0;
    this.#isHalted = false;
  }

  #isOutage(): boolean {
    return this.#failuresInARow >= failuresOfAnOutage;
  }

  #fill(): void {
    if (this.#isHalted) return;
    for (const [key, queue] of this.#queues) {
      if (this.#inFlight.size >= windowSize) return;
      if (this.#inFlight.has(key)) continue;
      const row = queue.shift()!;
      if (queue.length === 0) this.#queues.delete(key);
      this.#inFlight.set(key, row);
      void this.#publish(row);
    }
  }

  async #publish(row: OutboxRow): Promise<void> {
    try {
      await this.#options.publish(row);
      this.#succeed(row);
    } catch (error) {
      this.#fail(row, error);
    }
    this.#inFlight.delete(row.ordering_key);
    if (this.#inFlight.size === 0) for (const settle of this.#settled.splice(0)) settle();
    this.#fill();
    this.#options.onChange();
  }

  #succeed(row: OutboxRow): void {
    this.#done.push(row);
    // Those that were held back by the same outage need not wait for their turn.
    if (this.#isOutage()) this.#heldBack.clear();
    else this.#heldBack.delete(row.ordering_key);
    this.#failuresInARow = 0;
    this.#pausedUntil = 0;
  }

  #fail(row: OutboxRow, error: unknown): void {
    const key = row.ordering_key;
    const attempts = (this.#heldBack.get(key)?.attempts ?? 0) + 1;
    this.#heldBack.set(key, { until: performance.now() + backoff(attempts, retry), attempts });
    this.#failedSinceRead.add(key);
    this.#known.delete(row.id);
    this.#dropQueue(key);
    this.#failuresInARow += 1;
    if (this.#isOutage()) {
      this.#dropQueues();
      this.#pausedUntil = performance.now() + backoff(this.#failuresInARow - failuresOfAnOutage + 1, retry);
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
