import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { type ResolvedToken, resolveToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { PartHealth } from '@yardarm/shared/service';
import { ownContext } from '../own-context.ts';
import { AccountsHealth } from './accounts-health.ts';
import type { UnknownTokenLimit } from './unknown-token-limit.ts';

type Answer = ResolvedToken | null;

/** The repeated request of an outage. Accounts answers in milliseconds. */
const repeatTimeoutMs = 5_000;

/** Asks accounts for tokens, by selector: once for all who wait for the same one. */
export class TokenRequests {
  readonly #bus: Bus;
  readonly #limit: UnknownTokenLimit;
  readonly #onAnswer: (selector: string, token: Answer) => void;
  readonly #inFlight = new Map<string, Promise<Answer>>();
  readonly #health = new AccountsHealth();

  /** `onAnswer` stores an answer. It is not called for a request that was abandoned. */
  constructor(bus: Bus, limit: UnknownTokenLimit, onAnswer: (selector: string, token: Answer) => void) {
    this.#bus = bus;
    this.#limit = limit;
    this.#onAnswer = onAnswer;
  }

  /** For a token that was known. */
  ask(selector: string, context: RequestContext): Promise<Answer> {
    return this.#inFlight.get(selector) ?? this.#begin(selector, this.#request(selector, context));
  }

  /** For a token that may not exist: under the limit of the address. */
  async askUnderLimit(selector: string, context: RequestContext, address: string): Promise<Answer> {
    for (let pending = this.#inFlight.get(selector); pending !== undefined; pending = this.#inFlight.get(selector)) {
      try {
        return await pending;
      } catch (error) {
        // The first request may have come from another address, with its own limit.
        if (!(error instanceof AppError && error.code === 'rate-limited')) throw error;
      }
    }
    return this.#begin(
      selector,
      this.#limit.guard(address, () => this.#request(selector, context)),
    );
  }

  /** Those who wait for a request in flight get its answer. It is not stored, and later calls do not wait for it. */
  abandon(selector: string): void {
    this.#inFlight.delete(selector);
  }

  selectors(): string[] {
    return [...this.#inFlight.keys()];
  }

  get health(): PartHealth {
    return this.#health.health;
  }

  stop(): void {
    this.#health.stop();
  }

  async #request(selector: string, context: RequestContext): Promise<Answer> {
    try {
      const { token } = await this.#bus.request(resolveToken, { selector }, { ...context, actor: null });
      this.#health.answered();
      return token;
    } catch (error) {
      this.#health.failed(error, () => this.ask(selector, ownContext(repeatTimeoutMs)));
      throw error;
    }
  }

  #begin(selector: string, request: Promise<Answer>): Promise<Answer> {
    const answer = request.then((token) => {
      if (this.#inFlight.get(selector) === answer) this.#onAnswer(selector, token);
      return token;
    });
    this.#inFlight.set(selector, answer);
    const end = () => {
      if (this.#inFlight.get(selector) === answer) this.#inFlight.delete(selector);
    };
    answer.then(end, end);
    return answer;
  }
}
