import type { Actor } from '../contracts/actor.ts';
import { AppError } from '../errors/index.ts';

/** A refusal needs as long at most to reach the caller of a busy system. Later, the caller has given up. */
const answerMs = 250;

/** A timer cannot wait longer: 24 days. */
const maxTimerMs = 2 ** 31 - 1;

export interface ConcurrencyOptions {
  /** What a work takes at most, if it has a limit of its own. */
  takesMs?: number;
  /** How many works may wait. Further ones are refused at once. */
  maxWaiting?: number;
  /**
   * The place of a work rests for as long as the work took, unless another actor wants it. So the works of one actor
   * use half of the time at most.
   */
  hasRests?: boolean;
}

/** On whose behalf a work runs. The context of a request is one. */
export interface Caller {
  /** In milliseconds since 1970. */
  deadline: number;
  actor?: Actor | null;
}

/**
 * Runs at most `max` works at once. The others wait in the order of the calls, those of each actor by themselves: the
 * next turn has the actor whose turn is the longest ago. So an actor with many works delays another one by one turn.
 *
 * A work whose turn comes so late that it could end after the deadline of its caller is not run: `run` throws
 * `unavailable` with the message `refusal`, and the caller knows that nothing was done. So it does when too many wait.
 * After `stop` no work begins: those that wait are refused at once, and those that run end by themselves.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #refusal: string;
  readonly #takesMs: number;
  readonly #maxWaiting: number;
  readonly #hasRests: boolean;
  /** By actor. The one of the next turn comes first, and each has one that waits at least. */
  readonly #waiting = new Map<string, PromiseWithResolvers<void>[]>();
  /** The actors of works whose places rest, and the timers that end the rests. */
  readonly #resting = new Set<{ key: string; timer: NodeJS.Timeout }>();
  /** With the places that rest. */
  #running = 0;
  #isStopped = false;

  constructor(
    max: number,
    refusal: string,
    { takesMs = 0, maxWaiting = Number.POSITIVE_INFINITY, hasRests = false }: ConcurrencyOptions = {},
  ) {
    this.#max = max;
    this.#refusal = refusal;
    this.#takesMs = takesMs;
    this.#maxWaiting = maxWaiting;
    this.#hasRests = hasRests;
  }

  async run<Result>({ deadline, actor = null }: Caller, work: () => Promise<Result>): Promise<Result> {
    if (this.#isStopped) throw stopping();
    const key = keyOf(actor);
    // A work that has ended passes its place on, so `#running` does not change.
    if (this.#running < this.#max) this.#running += 1;
    else if (!this.#takeResting(key)) await this.#turn(key, deadline);
    const beganAt = performance.now();
    try {
      if (Date.now() >= deadline) throw this.#refused();
      return await work();
    } finally {
      if (this.#hasRests) this.#rest(key, performance.now() - beganAt);
      else this.#passOn();
    }
  }

  /** Passes the place to another actor, or lets it rest. */
  #rest(key: string, restMs: number): void {
    const next = this.#next(key);
    if (next) {
      next.resolve();
      return;
    }
    const timer = setTimeout(() => {
      this.#resting.delete(resting);
      this.#passOn();
    }, restMs).unref();
    const resting = { key, timer };
    this.#resting.add(resting);
  }

  /** Whether there is a place that rests for another actor. The caller has it now. */
  #takeResting(key: string): boolean {
    for (const resting of this.#resting) {
      if (resting.key === key) continue;
      clearTimeout(resting.timer);
      this.#resting.delete(resting);
      return true;
    }
    return false;
  }

  /** For a process that stops: each that waits could wait until its deadline. */
  stop(): void {
    this.#isStopped = true;
    const waiting = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { reject } of waiting) reject(stopping());
  }

  #passOn(): void {
    const next = this.#next();
    if (next) next.resolve();
    else this.#running -= 1;
  }

  #next(except: string | null = null): PromiseWithResolvers<void> | undefined {
    for (const [key, [next, ...others]] of this.#waiting) {
      if (key === except) continue;
      this.#waiting.delete(key);
      if (others.length > 0) this.#waiting.set(key, others);
      return next;
    }
    return undefined;
  }

  async #turn(key: string, deadline: number): Promise<void> {
    if ([...this.#waiting.values()].flat().length >= this.#maxWaiting) throw this.#refused();
    const turn = Promise.withResolvers<void>();
    const ofKey = this.#waiting.get(key) ?? [];
    this.#waiting.set(key, [...ofKey, turn]);
    const refuse = () => {
      const others = (this.#waiting.get(key) ?? []).filter((other) => other !== turn);
      if (others.length > 0) this.#waiting.set(key, others);
      else this.#waiting.delete(key);
      turn.reject(this.#refused());
    };
    const waitsMs = Math.min(deadline - this.#takesMs - answerMs - Date.now(), maxTimerMs);
    const timer = setTimeout(refuse, Math.max(0, waitsMs));
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #refused(): AppError {
    return new AppError('unavailable', this.#refusal, { retryAfterSeconds: 1 });
  }
}

/** All admin tokens have the same id, and those of a name share their turns. */
function keyOf(actor: Actor | null): string {
  return actor === null ? '' : `${actor.kind} ${actor.id} ${actor.username}`;
}

/** The caller may try again at once: another replica serves it, or this one after its restart. */
export function stopping(): AppError {
  return new AppError('unavailable', 'This process is stopping; nothing was done.', { retryAfterSeconds: 1 });
}
