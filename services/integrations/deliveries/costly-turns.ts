import { LRUCache } from 'lru-cache';

/** Most messages are made in a fraction of a millisecond. */
const costlyMs = 5;

/** A turn that is not used ends by itself. A claim takes some milliseconds. */
const turnMs = 100;

/** The number of an integration needs some bytes. One that is forgotten counts as cheap until its next send. */
const maxKnown = 10_000;

/**
 * Lets integrations whose messages are costly, by a template or large events, make them one after the other, each after
 * a rest that is as long as the message before it took. Together they take at most half of the process, and the others
 * wait for one message:
 *
 *   cheap --a message took `costlyMs` or more--> costly --a shorter one--> cheap
 *
 *   free --a costly integration may begin--> taken --it has made a message--> resting --as much time has passed--> free
 *                                              \--`turnMs` without a message--> free
 */
export class CostlyTurns {
  readonly #costly = new LRUCache<number, true>({ max: maxKnown });
  readonly #waiting = new Set<number>();
  readonly #onFree: (callers: number[]) => void;
  #turn: { caller: number; endsAt: number } | null = null;
  #restsUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onFree: (callers: number[]) => void) {
    this.#onFree = onFree;
  }

  /** Whether an integration may make a message. A costly one has the turn. One that may not is passed to `onFree`. */
  isOpen(caller: number): boolean {
    if (!this.#costly.has(caller)) return true;
    const now = performance.now();
    const isMine = this.#turn?.caller === caller;
    if (isMine || (now >= this.#restsUntil && now >= (this.#turn?.endsAt ?? 0))) {
      if (!isMine) this.#turn = { caller, endsAt: now + turnMs };
      this.#waiting.delete(caller);
      return true;
    }
    this.#waiting.add(caller);
    this.#wakeLater();
    return false;
  }

  /** Notes the CPU time that a message took. */
  took(caller: number, cpuMs: number): void {
    if (this.#turn?.caller === caller) this.#turn = null;
    if (cpuMs < costlyMs) this.#costly.delete(caller);
    else {
      this.#costly.set(caller, true);
      this.#restsUntil = performance.now() + cpuMs;
    }
  }

  #wakeLater(): void {
    const freeAt = Math.max(this.#restsUntil, this.#turn?.endsAt ?? 0);
    this.#timer ??= setTimeout(() => this.#wake(), Math.max(1, Math.ceil(freeAt - performance.now())));
  }

  #wake(): void {
    this.#timer = undefined;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#onFree([next]);
    if (this.#waiting.size > 0) this.#wakeLater();
  }
}
