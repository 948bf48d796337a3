import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { cpuTimeMs } from '@yardarm/evaluation';
import { AppError } from '@yardarm/shared/errors';

/** How long one key has the process in a turn. Other work waits for it, and a person notices fifty times as much. */
const turnMs = 2;

/** CPU time of works that ended, after which other work gets as much. Evaluating 1,000 ordinary flags takes 1 ms. */
const restFromMs = 5;

/** A waiting request keeps its body. A token of a key has as many requests at once only when each takes long. */
const maxWaiting = 200;

interface Waiting {
  readonly deadline: number;
  /** Runs a slice. Returns whether there are more. */
  readonly runSlice: () => boolean;
  readonly reject: (error: unknown) => void;
}

/**
 * Divides the time of the process among works that take long. Those of one key delay no other work, and those of the
 * other keys by one turn each.
 *
 *   begun     While nothing waits, a work runs at once. One that ends within its first slice never waits.
 *   waiting   It has more slices, or others waited when it came. The works of a key wait in the order of their coming.
 *   running   Its key has the turn. A turn runs slices of the key for `turnMs`, one at least. Then the key whose turn
 *             is the longest ago runs.
 *   ended     With its result, or with an error: that of the work, `rate-limited` when too many of the key wait, or
 *             `unavailable` when its deadline has passed before its turn.
 *
 * After a turn or a first slice in which a work did not end, or of `restFromMs`, the other work of the process has as
 * long as it took: a large answer is sent in many parts, and the next turn would delay each of them. Other turns follow
 * each other in the next iteration of the event loop, so that ordinary works which had to wait do not pile up.
 */
export class TimeShares {
  /** The key of the next turn comes first. */
  readonly #queues = new Map<string, Waiting[]>();
  #isRunning = false;
  /** Until then other work has the process. */
  #restsUntil = 0;

  /** `work` yields after each slice. Returns its result at once if it ends within the first one. */
  run<Result>(key: string, deadline: number, work: Generator<void, Result>): Result | Promise<Result> {
    if (this.#queues.size === 0 && performance.now() >= this.#restsUntil) {
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
      this.#add(key, { deadline, runSlice, reject });
    });
  }

  #add(key: string, waiting: Waiting): void {
    const queue = this.#queues.get(key) ?? [];
    if (queue.length >= maxWaiting) {
      const message = `${maxWaiting} evaluations of this token wait already. Each takes long because of constraints of its flags.`;
      throw new AppError('rate-limited', message, { retryAfterSeconds: 1 });
    }
    queue.push(waiting);
    this.#queues.set(key, queue);
    if (!this.#isRunning) void this.#runTurns();
  }

  async #runTurns(): Promise<void> {
    this.#isRunning = true;
    while (this.#queues.size > 0) {
      const restMs = this.#restsUntil - performance.now();
      await (restMs > 0 ? sleep(restMs) : yieldToEventLoop());
      const [[key, queue]] = this.#queues as unknown as [[string, Waiting[]]];
      this.#queues.delete(key);
      this.#measured(
        () => runTurn(queue),
        (haveEnded) => haveEnded,
      );
      if (queue.length > 0) this.#queues.set(key, queue);
    }
    this.#isRunning = false;
  }

  #measured<Result>(run: () => Result, hasEnded: (result: Result) => boolean): Result {
    const beganAt = cpuTimeMs();
    const result = run();
    const took = cpuTimeMs() - beganAt;
    if (took >= restFromMs || !hasEnded(result)) this.#restsUntil = performance.now() + took;
    return result;
  }
}

/** Returns whether all works that had a slice have ended. */
function runTurn(queue: Waiting[]): boolean {
  const endsAt = performance.now() + turnMs;
  let haveEnded = true;
  do {
    const waiting = queue.shift()!;
    try {
      if (Date.now() >= waiting.deadline) throw new AppError('unavailable', 'Other evaluations took all of the time.');
      if (waiting.runSlice()) {
        queue.push(waiting);
        haveEnded = false;
      }
    } catch (error) {
      waiting.reject(error);
    }
  } while (queue.length > 0 && performance.now() < endsAt);
  return haveEnded;
}
