import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { cpuTimeMs } from '@yardarm/evaluation';
import { AppError } from '@yardarm/shared/errors';
import type { MaybePromise } from '@yardarm/shared/waiting';

/**
 * How long one key has the process in a turn: other work waits for it, and a person notices fifty times as much. CPU
 * time, so that a turn does as much on a busy machine, where each rest takes longer.
 */
const turnMs = 2;

export interface ShareOptions {
  /** CPU time of works that ended, after which other work gets as much. */
  restFromMs: number;
  /** How many works of a key may wait. */
  maxWaiting: number;
  /** What the works are, in the plural, for the messages of errors. */
  works: string;
}

interface Waiting {
  readonly deadline: number;
  /** Runs a slice. Returns whether there are more. */
  readonly runSlice: () => boolean;
  /** Ends it without another slice. */
  readonly leave: () => void;
  readonly reject: (error: unknown) => void;
}

/** The works of a key that wait, the next one first. */
type Queue = Map<Generator, Waiting>;

/**
 * Divides the time of the process among works that take long. Those of one key delay no other work, and those of the
 * other keys by one turn each.
 *
 *   begun     While nothing waits, a work runs at once. One that ends within its first slice never waits.
 *   waiting   It has more slices, or others waited when it came. The works of a key wait in the order of their coming.
 *   running   Its key has the turn. A turn runs slices of the key for `turnMs`, one at least. What is left of it when
 *             they have all ended is for the next key, the one whose turn is the longest ago.
 *   ended     With its result, or with an error: that of the work, `rate-limited` when too many of the key wait, or
 *             `unavailable` when its deadline has passed before its turn. One that leaves the queue has no result, and
 *             nothing of it is kept.
 *
 * After a turn or a first slice in which a work did not end, or of `restFromMs`, the other work of the process has as
 * long as it took, in a later iteration of the event loop: a large answer is sent in many parts, and the next turn
 * would delay each of them. Other turns follow each other in the next iteration, so that ordinary works which had to
 * wait do not pile up.
 */
export class TimeShares {
  /** The key of the next turn comes first. One whose works have all left is there until its turn. */
  readonly #queues = new Map<string, Queue>();
  readonly #options: ShareOptions;
  #isRunning = false;
  /** Until then other work has the process. */
  #restsUntil = 0;
  /** The event loop has not gone on since the rest began: what arrives together shares one turn. */
  #isResting = false;

  constructor(options: ShareOptions) {
    this.#options = options;
  }

  /**
   * `work` yields after each slice. Returns its result at once if it ends within the first one. The deadline is in
   * milliseconds since 1970.
   */
  run<Result>(key: string, deadline: number, work: Generator<void, Result>): MaybePromise<Result> {
    if (this.#queues.size === 0 && !this.#isResting && performance.now() >= this.#restsUntil) {
      const { done, value } = this.#measured(
        () => work.next(),
        (next) => next.done === true,
      );
      if (done) return value;
    }
    return new Promise((resolve, reject) => {
      const runSlice = () => {
        const { done, value } = work.next();
        if (done) resolve(value);
        return !done;
      };
      const leave = () => resolve(work.return(undefined as Result).value as Result);
      this.#add(key, work, { deadline, runSlice, leave, reject });
    });
  }

  /** Ends a work that waits, with the result undefined. False if it does not wait. */
  leave(key: string, work: Generator<void, void>): boolean {
    const queue = this.#queues.get(key);
    const waiting = queue?.get(work);
    queue?.delete(work);
    waiting?.leave();
    return waiting !== undefined;
  }

  #add(key: string, work: Generator, waiting: Waiting): void {
    const { maxWaiting, works } = this.#options;
    const queue: Queue = this.#queues.get(key) ?? new Map();
    if (queue.size >= maxWaiting) {
      const message = `${maxWaiting} ${works} of this token wait already. Each takes long.`;
      throw new AppError('rate-limited', message, { retryAfterSeconds: 1 });
    }
    queue.set(work, waiting);
    this.#queues.set(key, queue);
    if (!this.#isRunning) void this.#runTurns();
  }

  async #runTurns(): Promise<void> {
    this.#isRunning = true;
    while (this.#queues.size > 0) {
      const restMs = this.#restsUntil - performance.now();
      await (restMs > 0 ? sleep(restMs) : yieldToEventLoop());
      this.#measured(
        () => this.#runTurn(),
        (haveEnded) => haveEnded,
      );
    }
    this.#isRunning = false;
  }

  #measured<Result>(run: () => Result, hasEnded: (result: Result) => boolean): Result {
    const beganAt = cpuTimeMs();
    const result = run();
    const took = cpuTimeMs() - beganAt;
    if (took >= this.#options.restFromMs || !hasEnded(result)) {
      this.#restsUntil = performance.now() + took;
      this.#isResting = true;
      setImmediate(() => {
        this.#isResting = false;
      });
    }
    return result;
  }

  /** Returns whether all works that had a slice have ended. */
  #runTurn(): boolean {
    const endsAt = cpuTimeMs() + turnMs;
    let haveEnded = true;
    do {
      const [[key, queue]] = this.#queues as unknown as [[string, Queue]];
      this.#queues.delete(key);
      this.#queues.set(key, queue);
      // A work that is added again comes last, also in this iteration.
      for (const [work, waiting] of queue) {
        queue.delete(work);
        if (!this.#runSlice(waiting)) {
          queue.set(work, waiting);
          haveEnded = false;
        }
        if (cpuTimeMs() >= endsAt) break;
      }
      if (queue.size === 0) this.#queues.delete(key);
    } while (this.#queues.size > 0 && cpuTimeMs() < endsAt);
    return haveEnded;
  }

  /** Returns whether the work has ended. */
  #runSlice({ deadline, runSlice, reject }: Waiting): boolean {
    try {
      if (Date.now() >= deadline)
        throw new AppError('unavailable', `Other ${this.#options.works} took all of the time.`);
      return !runSlice();
    } catch (error) {
      reject(error);
      return true;
    }
  }
}
