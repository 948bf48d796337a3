import type { Actor } from '../contracts/actor.ts';
import { AppError } from '../errors/index.ts';

/** A refusal needs as long at most to reach the caller of a busy system. Later, the caller has given up. */
const answerMs = 250;

/** A timer cannot wait longer: 24 days. */
const maxTimerMs = 2 ** 31 - 1;

/** A rest is not longer. After a work of ten seconds a person would take a longer one for a failure. */
const maxRestMs = 3_000;

export interface ConcurrencyOptions {
  /** What a work takes at most, if it has a limit of its own. */
  takesMs?: number;
  /** How many works may wait. Further ones are refused at once. */
  maxWaiting?: number;
  /** How many works of one actor run at once, if not as many as of all. */
  maxOfActor?: number;
  /**
   * With a number, the works of one actor run one at a time, and the actor rests between them, so that they take half
   * of the time at most, or rest for three seconds. Rests begin when the works have taken so many milliseconds more
   * than that.
   */
  restsFromMs?: number;
}

/** On whose behalf a work runs. The context of a request is one. */
export interface Caller {
  /** In milliseconds since 1970. */
  deadline: number;
  actor?: Actor | null;
  /** What stands for a caller without an actor. */
  key?: string;
  /** Called for a work that waits, with the function that refuses it. That does nothing once the work has begun. */
  onWait?(refuse: () => void): void;
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
  readonly #maxOfActor: number;
  readonly #restsFromMs: number | undefined;
  /** By actor. The one of the next turn comes first, and each has one that waits at least. */
  readonly #waiting = new Map<string, Set<PromiseWithResolvers<void>>>();
  #waitingCount = 0;
  /** How many works an actor has that run, or one that rests. */
  readonly #held = new Map<string, number>();
  /** Until when the works of an actor would have taken half of the time, where this is not over yet. */
  readonly #evenAt = new Map<string, number>();
  #running = 0;
  #isStopped = false;

  constructor(
    max: number,
    refusal: string,
    { takesMs = 0, maxWaiting = Number.POSITIVE_INFINITY, maxOfActor = max, restsFromMs }: ConcurrencyOptions = {},
  ) {
    this.#max = max;
    this.#refusal = refusal;
    this.#takesMs = takesMs;
    this.#maxWaiting = maxWaiting;
    this.#maxOfActor = restsFromMs === undefined ? maxOfActor : 1;
    this.#restsFromMs = restsFromMs;
  }

  async run<Result>(
    { deadline, actor = null, key: ownKey = '', onWait }: Caller,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#isStopped) throw stopping();
    const key = actor === null ? ownKey : keyOfActor(actor);
    if (this.#running < this.#max && this.#mayBegin(key)) this.#begin(key);
    else await this.#turn(key, deadline, onWait);
    const beganAt = performance.now();
    try {
      if (Date.now() >= deadline) throw this.#refused();
      return await work();
    } finally {
      this.#end(key, beganAt);
    }
  }

  #mayBegin(key: string): boolean {
    return (this.#held.get(key) ?? 0) < this.#maxOfActor;
  }

  #begin(key: string): void {
    this.#running += 1;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
  }

  #end(key: string, beganAt: number): void {
    this.#running -= 1;
    if (this.#restsFromMs === undefined) this.#release(key);
    else this.#rest(key, beganAt, this.#restsFromMs);
    this.#passOn();
  }

  #release(key: string): void {
    const held = this.#held.get(key)! - 1;
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
  }

  #rest(key: string, beganAt: number, restsFromMs: number): void {
    const now = performance.now();
    const halfUsedAt = Math.max(beganAt, this.#evenAt.get(key) ?? 0) + 2 * (now - beganAt);
    const evenAt = Math.min(halfUsedAt, now + restsFromMs + maxRestMs);
    this.#evenAt.set(key, evenAt);
    const forget = () => {
      // The end of a work that runs needs it.
      if (!this.#held.has(key) && this.#evenAt.get(key) === evenAt) this.#evenAt.delete(key);
    };
    setTimeout(forget, evenAt - now).unref();
    const rested = () => {
      this.#release(key);
      this.#passOn();
    };
    const restMs = evenAt - restsFromMs - now;
    if (restMs > 0) setTimeout(rested, restMs).unref();
    else this.#release(key);
  }

  /** For a process that stops: each that waits could wait until its deadline. */
  stop(): void {
    this.#isStopped = true;
    const waiting = [...this.#waiting.values()].flatMap((turns) => [...turns]);
    this.#waiting.clear();
    this.#waitingCount = 0;
    for (const { reject } of waiting) reject(stopping());
  }

  /** Begins the work of the next turn if there is a place for it. */
  #passOn(): void {
    if (this.#running >= this.#max) return;
    for (const [key, turns] of this.#waiting) {
      if (!this.#mayBegin(key)) continue;
      const [next] = turns;
      this.#leave(key, next!);
      // Its other works come after those of all others.
      if (this.#waiting.delete(key)) this.#waiting.set(key, turns);
      this.#begin(key);
      next!.resolve();
      return;
    }
  }

  /** False if the work does not wait. */
  #leave(key: string, turn: PromiseWithResolvers<void>): boolean {
    const turns = this.#waiting.get(key);
    if (!turns?.delete(turn)) return false;
    this.#waitingCount -= 1;
    if (turns.size === 0) this.#waiting.delete(key);
    return true;
  }

  async #turn(key: string, deadline: number, onWait: Caller['onWait']): Promise<void> {
    if (this.#waitingCount >= this.#maxWaiting) throw this.#refused();
    const turn = Promise.withResolvers<void>();
    const turns = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, turns.add(turn));
    this.#waitingCount += 1;
    const refuse = () => {
      if (this.#leave(key, turn)) turn.reject(this.#refused());
    };
    const waitsMs = Math.min(deadline - this.#takesMs - answerMs - Date.now(), maxTimerMs);
    const timer = setTimeout(refuse, Math.max(0, waitsMs));
    onWait?.(refuse);
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

/** A text that no other actor has. All admin tokens have the same id, and those of a name share their turns. */
export function keyOfActor(actor: Actor | null): string {
  return actor === null ? '' : `${actor.kind} ${actor.id} ${actor.username}`;
}

/** The caller may try again at once: another replica serves it, or this one after its restart. */
export function stopping(): AppError {
  return new AppError('unavailable', 'This process is stopping; nothing was done.', { retryAfterSeconds: 1 });
}
