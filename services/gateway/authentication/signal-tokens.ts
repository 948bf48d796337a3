import { isSameHash, type PresentedToken } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import {
  findSignalToken,
  type SignalToken,
  signalEndpointChangedHint,
  signalTokenChangedHint,
} from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { isAway } from './accounts-health.ts';
import type { UnknownTokenLimit } from './unknown-token-limit.ts';

/**
 * The gateway's cache of the tokens of signal endpoints, by selector, each with its endpoint. States of an entry:
 *
 *   absent  -> Nothing is cached. Asks signals and waits, under the limit of unknown tokens of the address.
 *   changed -> The token was known until a hint came. Asks signals and waits, without that limit.
 *   fresh   -> Signals answered less than freshMs ago. Answers from memory.
 *   ageing  -> The answer is older. Answers from memory and asks again in the background.
 *   stale   -> The answer is older than staleMs. Asks signals and waits: without it no signal gets an admission anyway.
 *   unknown -> Signals had no such token. Refuses from memory for unknownMs, so guesses do not reach the database.
 *
 * A hint makes a known entry changed, `token-changed` by its selector and `endpoint-changed` by its endpoint, and an
 * unknown one absent. So a deletion or a switch takes effect with one message, or by the clock when the message is
 * lost. An answer that was in flight when a hint came goes to its waiting requests and is not stored.
 */
export interface SignalTokens {
  /**
   * The token with this secret; null when it does not exist. Throws `unavailable` when it cannot be checked, and
   * `rate-limited` when it is not cached and the address has sent too many unknown tokens.
   */
  find(presented: PresentedToken, context: RequestContext, address: string): Promise<SignalToken | null>;
}

// A change whose hint was lost takes effect within 30 s: asking again begins at 10 s and must succeed within 25 s.
const freshMs = 10_000;
const staleMs = 25_000;
// The same time as for tokens of accounts (tokens.ts).
const unknownMs = 10_000;
// A token with its endpoint takes half a kilobyte: ten megabytes at most.
const maxRemembered = 20_000;

interface Known {
  token: SignalToken;
  askedAt: number;
  /** The last object whose hash matched. The same object needs no second comparison. */
  matched?: PresentedToken;
}

export function createSignalTokens(bus: Bus, limit: UnknownTokenLimit, clock: () => number = Date.now): SignalTokens {
  const known = new Map<string, Known>();
  const changed = new Set<string>();
  const unknown = new Map<string, number>();
  const inFlight = new Map<string, Promise<SignalToken | null>>();

  bus.onHint(signalTokenChangedHint, ({ selector }) => change(selector));
  bus.onHint(signalEndpointChangedHint, ({ endpointId }) => {
    for (const [selector, { token }] of known) if (token.endpoint.id === endpointId) change(selector);
    // The endpoint of a token is not known before its first answer.
    inFlight.clear();
  });

  function change(selector: string): void {
    if (known.delete(selector)) changed.add(selector);
    if (changed.size > maxRemembered) changed.delete(changed.values().next().value as string);
    unknown.delete(selector);
    // An answer in flight may be older than the change.
    inFlight.delete(selector);
  }

  /** Asks once for all who wait for the same token; without an address, without its limit. */
  async function ask(selector: string, context: RequestContext, address: string | null): Promise<SignalToken | null> {
    for (let pending = inFlight.get(selector); pending !== undefined; pending = inFlight.get(selector)) {
      try {
        return await pending;
      } catch (error) {
        // The first request may have come from another address, with its own limit.
        if (!(error instanceof AppError && error.code === 'rate-limited')) throw error;
      }
    }
    return begin(selector, context, address);
  }

  function begin(selector: string, context: RequestContext, address: string | null): Promise<SignalToken | null> {
    const request = async () => (await bus.request(findSignalToken, { selector }, { ...context, actor: null })).token;
    const answer: Promise<SignalToken | null> = (address === null ? request() : limit.guard(address, request)).then(
      (token) => {
        if (inFlight.get(selector) === answer) store(selector, token);
        return token;
      },
    );
    const end = () => {
      if (inFlight.get(selector) === answer) inFlight.delete(selector);
    };
    inFlight.set(selector, answer);
    answer.then(end, end);
    return answer;
  }

  function store(selector: string, token: SignalToken | null): void {
    changed.delete(selector);
    if (token) {
      unknown.delete(selector);
      remember(known, selector, { token, askedAt: clock() });
    } else {
      known.delete(selector);
      remember(unknown, selector, clock());
    }
  }

  async function askAndWait(
    selector: string,
    context: RequestContext,
    address: string | null,
  ): Promise<SignalToken | null> {
    try {
      return await ask(selector, context, address);
    } catch (error) {
      // Nothing was done yet, so `timeout` (outcome unknown) would be wrong.
      if (!isAway(error)) throw error;
      throw new AppError('unavailable', 'The signals service cannot answer yet, so this token cannot be checked.', {
        retryAfterSeconds: 1,
      });
    }
  }

  return {
    async find(presented, context, address) {
      const { selector, hash } = presented;
      const unknownSince = unknown.get(selector);
      if (unknownSince !== undefined && clock() - unknownSince < unknownMs) return null;
      const entry = known.get(selector);
      const age = entry ? clock() - entry.askedAt : Number.POSITIVE_INFINITY;
      if (!entry || age >= staleMs) {
        const wasKnown = entry !== undefined || changed.has(selector);
        const token = await askAndWait(selector, context, wasKnown ? null : address);
        return token && isSameHash(token.hash, hash) ? token : null;
      }
      // In the background. After a failure the entry only grows older.
      if (age >= freshMs) ask(selector, context, null).catch(() => undefined);
      if (entry.matched !== presented && !isSameHash(entry.token.hash, hash)) return null;
      entry.matched = presented;
      return entry.token;
    },
  };
}

/** Puts the entry last and evicts the oldest one above the maximum. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > maxRemembered) map.delete(map.keys().next().value as string);
}
