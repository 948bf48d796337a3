import { coerceError, isTransient } from '@yardarm/shared/errors';
import type { PartHealth } from '@yardarm/shared/service';

/** A request costs accounts nothing, and the problem ends at most this much after the outage. */
const askEveryMs = 1_000;

/**
 * Whether accounts answers. States:
 *
 *   answering -> It answered the last request, or was not asked yet. Nothing is asked for this purpose.
 *   away      -> It did not answer the last request. That request is repeated each second, so that the state ends with
 *                the outage, also when no SDK reads.
 */
export class AccountsHealth {
  #problem: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  answered(): void {
    this.#problem = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** `askAgain` reports its own outcome here. It may reject. */
  failed(error: unknown, askAgain: () => Promise<unknown>): void {
    if (!isTransient(error) || this.#isStopped) return;
    this.#problem = coerceError(error).message;
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      askAgain().catch(() => undefined);
    }, askEveryMs);
    this.#timer.unref();
  }

  /** SDKs are still served: with tokens of memory or the copy. */
  get health(): PartHealth {
    return this.#problem === null ? null : { degraded: `accounts does not answer: ${this.#problem}` };
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
