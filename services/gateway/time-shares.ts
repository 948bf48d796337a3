import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { cpuTimeMs } from '@yardarm/evaluation';
import { AppError } from '@yardarm/shared/errors';
import type { MaybePromise } from '@yardarm/shared/waiting';
import { RateLimited } from './rate-limited.ts';

/**
 * How long one key has the process in a turn: other work waits for it, and a person notices fifty times as much. CPU
 * time, so that a turn does as much on a busy machine, where each rest takes longer.
 */
const turnMs = 2;

export interface ShareOptions {
  /** CPU time of a turn, or of a work in all its turns, after which other work gets as much. */
  restFromMs: number;
  /** How many works of a key may wait. */
  maxWaiting: number;
  /** What the works are, in the plural, for the messages of errors. */
  works: string;
}

/** A work that has one slice. */
// biome-ignore lint/correctness/useYield: the only slice is its end.
export function* inOneSlice<Result>(work: () => Result): Generator<void, Result> {
  return work();
}

interface Waiting {
  readonly deadline: number;
  /** Runs a slice. Returns whether there are more. */
  readonly runSlice: () => boolean;
  /** CPU time of the slices before. */
  usedMs: number;
  /** Ends it without another slice. */
  readonly leave: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Resolves when the microtasks have ended, also those that come of them: a request that a slice has begun is then
 * answered, or waits for something. Without it a turn would begin requests for 2 ms, which then take ten times as long.
 */
const untilItWaits = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** The works of a key that wait, the next one first. */
type Queue = Map<Generator, Waiting>;

/**
 * Divides the time of the process among works that take long. Those of one key delay no other work, and those of the
 * other keys by one turn each.
 *
 *   begun     A work runs at once, up to `restFromMs`, unless there is a rest, a work of its key waits that has had as
 *             much, or those that began in this iteration of the event loop had more. So few ordinary works do not wait
 *             for each other: a queue of them would not get shorter while others come, and what waits survives
 *             collections of garbage. Many that arrive at once delay other work by `restFromMs`.
 *   waiting   It has more slices, or had none. The works of a key wait in the order of their coming.
 *   running   Its key has the turn. A turn runs slices of the key for `turnMs`, one at least, each with what follows it
 *             in microtasks. What is left of it when they have all ended is for the next key, the one whose turn is the
 *             longest ago.
 *   ended     With its result, or with an error: that of the work, `rate-limited` when too many of the key wait, or
 *             `unavailable` when its deadline has passed before its turn. One that leaves the queue has no result, and
 *             nothing of it is kept.
 *
 * After a turn of `restFromMs`, or one in which a work that goes on has had as much in all, the other work of the
 * process has as long as the turn took, in a later iteration of the event loop: a large answer is sent in many parts,
 * and the next turn would delay each of them. Other turns follow each other in the next iteration, so that ordinary
 * works which had to wait do not pile up.
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
  /** CPU time of the works that began in this iteration of the event loop. */
  #begunMs = 0;

  constructor(options: ShareOptions) {
    this.#options = options;
  }

  /**
   * `work` yields after each slice. Returns its result at once if it ends without waiting. The deadline is in
   * milliseconds since 1970.
   */
  run<Result>(key: string, deadline: number, work: Generator<void, MaybePromise<Result>>): MaybePromise<Result> {
    let usedMs = 0;
    if (this.#isFree(key)) {
      const { restFromMs } = this.#options;
      const beganAt = cpuTimeMs();
      let next: IteratorResult<void, MaybePromise<Result>>;
      do {
        next = work.next();
        usedMs = cpuTimeMs() - beganAt;
      } while (!next.done && usedMs < restFromMs);
      this.#countBegun(usedMs);
      if (usedMs >= restFromMs) this.#rest(usedMs);
      if (next.done) return next.value;
    }
    return new Promise((resolve, reject) => {
      const runSlice = () => {
        const { done, value } = work.next();
        if (done) resolve(value);
        return !done;
      };
      const leave = () => resolve(work.return(undefined as Result).value as Result);
      this.#add(key, work, { deadline, usedMs, runSlice, leave, reject });
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

  #isFree(key: string): boolean {
    const isOver = this.#isResting || this.#begunMs > this.#options.restFromMs;
    if (isOver || performance.now() < this.#restsUntil) return false;
    for (const { usedMs } of this.#queues.get(key)?.values() ?? [])
      if (usedMs >= this.#options.restFromMs) return false;
    return true;
  }

  #countBegun(usedMs: number): void {
    if (this.#begunMs === 0) {
      setImmediate(() => {
        this.#begunMs = 0;
      });
    }
    this.#begunMs += usedMs;
  }

  #add(key: string, work: Generator, waiting: Waiting): void {
    const { maxWaiting, works } = this.#options;
    const queue: Queue = this.#queues.get(key) ?? new Map();
    if (queue.size >= maxWaiting) {
      const message = `${maxWaiting} ${works} of this token wait already. Each takes long.`;
      throw new RateLimited('turns', message, 1);
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
      await this.#runTurn();
    }
    this.#isRunning = false;
  }

  #rest(ms: number): void {
    this.#restsUntil = performance.now() + ms;
    this.#isResting = true;
    setImmediate(() => {
      this.#isResting = false;
    });
  }

  async #runTurn(): Promise<void> {
    const beganAt = cpuTimeMs();
    const endsAt = beganAt + turnMs;
    let now = beganAt;
    /** What a work that has not ended had in all. */
    let longestMs = 0;
    do {
      const [[key, queue]] = this.#queues as unknown as [[string, Queue]];
      this.#queues.delete(key);
      this.#queues.set(key, queue);
      // A work that is added again comes last, also in this iteration.
      for (const [work, waiting] of queue) {
        queue.delete(work);
        const hasEnded = this.#runSlice(waiting);
        const sliceBeganAt = now;
        await untilItWaits();
        now = cpuTimeMs();
        if (!hasEnded) {
          waiting.usedMs += now - sliceBeganAt;
          longestMs = Math.max(longestMs, waiting.usedMs);
          queue.set(work, waiting);
        }
        if (now >= endsAt) break;
      }
      if (queue.size === 0) this.#queues.delete(key);
    } while (this.#queues.size > 0 && now < endsAt);
    const tookMs = now - beganAt;
    if (Math.max(tookMs, longestMs) >= this.#options.restFromMs) this.#rest(tookMs);
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
