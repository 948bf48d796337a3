import { coerceError, isTransient } from '@yardarm/shared/errors';
import type { PartHealth } from '@yardarm/shared/service';
import { type BackoffLimits, backoff } from '@yardarm/shared/waiting';

/**
 * A request costs accounts nothing, and the problem ends at most a second after the outage. At a start accounts may
 * have its tokens in some milliseconds.
 */
const retry: BackoffLimits = { firstMs: 50, maxMs: 1_000 };

/**
 * Whether accounts answers. States:
 *
 *   unasked   -> It has not answered yet, and without an answer no token is known (`isNeeded`). The gateway is not
 *                ready: all reads of SDKs are 503.
 *   answering -> It answered the last request, or was not asked yet. Nothing is asked for this purpose.
 *   away      -> It did not answer the last request. The gateway is degraded.
 *
 * A request that was not answered is repeated, at first soon and then each second, so that the state ends with the
 * outage, also when no SDK reads.
 */
export class AccountsHealth {
  #problem: string | null = null;
  #failures = 0;
  #isNeeded: boolean;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor({ isNeeded }: { isNeeded: boolean }) {
    this.#isNeeded = isNeeded;
  }

  answered(): void {
    this.#problem = null;
    this.#failures = 0;
    this.#isNeeded = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** `askAgain` reports its own outcome here. It may reject. */
  failed(error: unknown, askAgain: () => Promise<unknown>): void {
    if (!(this.#isNeeded || isTransient(error)) || this.#isStopped) return;
    this.#problem = coerceError(error).message;
    if (this.#timer !== undefined) return;
    this.#failures += 1;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        askAgain().catch(() => undefined);
      },
      backoff(this.#failures, retry),
    );
    this.#timer.unref();
  }

  get health(): PartHealth {
    if (this.#isNeeded) return `accounts has not answered yet${this.#problem === null ? '' : `: ${this.#problem}`}`;
    // SDKs are still served: with tokens of memory or the copy.
    return this.#problem === null ? null : { degraded: `accounts does not answer: ${this.#problem}` };
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
