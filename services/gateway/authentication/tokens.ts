import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isSameHash, type PresentedToken } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { accessChangedHint, type ResolvedToken, tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { PartHealth } from '@yardarm/shared/service';
import { ownContext } from '../own-context.ts';
import { isAway } from './accounts-health.ts';
import { isTicketOf, type Ticket } from './tickets.ts';
import { TokenRequests } from './token-requests.ts';
import type { UnknownTokenLimit } from './unknown-token-limit.ts';

/**
 * The gateway's cache of tokens, by selector. States of an entry:
 *
 *   absent  -> Nothing is cached. Asks accounts and waits, under the limit of the address (unknown-token-limit.ts).
 *   changed -> The token was known until a hint came. Asks accounts and waits, without that limit.
 *   fresh   -> Accounts answered less than freshMs ago. Answers from memory.
 *   ageing  -> The answer is older. Answers from memory and asks again in the background.
 *   stale   -> The answer is older than staleMs, or the access of its owner has changed, or the token is of the copy.
 *              Asks accounts and waits. While accounts is unavailable, an SDK token stays valid until its expiry, at
 *              most maxAgeMs after the answer: a request waits at most timeoutMs, and not at all for noWaitMs after
 *              such a timeout. Any other token is refused with 503, since its permissions may have been revoked.
 *   unknown -> Accounts had no such token. Refuses from memory for unknownMs, so guesses do not reach the database.
 *
 * `token-changed` makes a known entry changed and an unknown one absent. `access-changed` makes the entries of its user
 * stale, or all of them when it names no user. So a revocation takes effect with one message, or by the clock when the
 * message is lost. An answer that was in flight when a hint came goes to its waiting requests and is not stored. An
 * `unavailable` is not stored either. In every state a token ends at its expiry. A process without a connection misses
 * hints, so it asks again for all SDK tokens when it connects (`confirm`), also for those that no SDK uses.
 *
 * Known and unknown tokens have separate maps, so guesses cannot evict known tokens.
 */
export interface Tokens {
  /**
   * The token with this secret; null when it does not exist or has expired. Throws `unavailable` when it cannot be
   * checked, and `rate-limited` when it is not cached and the address has sent too many unknown tokens.
   */
  find(presented: PresentedToken, context: RequestContext, address: string): Promise<ResolvedToken | null>;
  /** The token of this ticket. Otherwise the same. */
  findByTicket(ticket: Ticket, context: RequestContext, address: string): Promise<ResolvedToken | null>;
  /** The token when it is fresh and valid, else null. Asks no other service. */
  findNow(presented: PresentedToken): ResolvedToken | null;
  /** Calls the listener after each hint has changed the cache, with a predicate for the affected tokens. */
  onChange(listener: (isAffected: (token: ResolvedToken) => boolean) => void): void;
  /** Asks accounts for each SDK token, one after another, until it has answered or NATS is lost. Never rejects. */
  confirm(): Promise<void>;
  /** The SDK tokens that are valid without accounts. */
  confirmed(): ConfirmedToken[];
  /** A number that changes with these tokens. It stays the same when accounts only confirms them. */
  version(): number;
  /** Whether accounts answers. */
  health(): PartHealth;
  /** Ends the requests that wait for accounts to answer again. */
  stop(): void;
}

/** An SDK token, and when accounts last confirmed it, in epoch ms. */
export interface ConfirmedToken {
  token: ResolvedToken;
  confirmedAt: number;
}

export interface TokenOptions {
  /** How long an SDK token is valid without an answer of accounts; without it, until its expiry. */
  maxAgeMs?: number;
  /** The SDK tokens of the copy. */
  copied?: readonly ConfirmedToken[];
  clock?: () => number;
}

// A revocation whose hint was lost takes effect within 30 s: asking again begins at 10 s and must succeed within 25 s.
const freshMs = 10_000;
const staleMs = 25_000;
// An answer takes milliseconds. A hanging accounts must not delay the reads of SDKs.
const timeoutMs = 300;
const noWaitMs = 5_000;
// The same as freshMs. A token that is created after it was guessed works with the hint, or after this time without it.
const unknownMs = 10_000;
// A token with its grants takes about half a kilobyte: ten megabytes at most.
const maxKnown = 20_000;
const maxUnknown = 20_000;

interface Known {
  token: ResolvedToken;
  askedAt: number;
  /** The last object whose hash matched. The same object needs no second comparison. */
  matched?: PresentedToken;
}

export function createTokens(bus: Bus, limit: UnknownTokenLimit, options: TokenOptions = {}): Tokens {
  const { maxAgeMs = Number.POSITIVE_INFINITY, copied = [], clock = Date.now } = options;
  // A revocation during the restart has to take effect, so none of them is fresh.
  const copiedAt = (confirmedAt: number) => Math.min(confirmedAt, clock() - staleMs);
  const known = new Map<string, Known>(
    copied.map(({ token, confirmedAt }) => [token.selector, { token, askedAt: copiedAt(confirmedAt) }]),
  );
  let version = 0;
  const changed = new Set<string>();
  const unknown = new Map<string, number>();
  const requests = new TokenRequests(bus, limit, (selector, token) => {
    changed.delete(selector);
    if (token) {
      unknown.delete(selector);
      if (!isDeepStrictEqual(known.get(selector)?.token, token)) version += 1;
      remember(known, selector, { token, askedAt: clock() }, maxKnown);
    } else {
      forget(selector);
      remember(unknown, selector, clock(), maxUnknown);
    }
  });
  const listeners: Parameters<Tokens['onChange']>[0][] = [];
  let timedOutAt = Number.NEGATIVE_INFINITY;

  bus.onHint(tokenChangedHint, ({ selector }) => {
    if (forget(selector)) changed.add(selector);
    if (changed.size > maxKnown) changed.delete(changed.values().next().value as string);
    unknown.delete(selector);
    // An answer in flight may be older than the change, so no further request may wait for it.
    requests.abandon(selector);
    for (const listener of listeners) listener((token) => token.selector === selector);
  });

  bus.onHint(accessChangedHint, ({ userId }) => {
    const isAffected = ({ actor }: ResolvedToken) => actor !== null && (userId === null || actor.id === userId);
    for (const entry of known.values()) if (isAffected(entry.token)) entry.askedAt = Number.NEGATIVE_INFINITY;
    // The owner of a token is not known before its first answer.
    for (const selector of requests.selectors()) {
      const entry = known.get(selector);
      if (!entry || isAffected(entry.token)) requests.abandon(selector);
    }
    for (const listener of listeners) listener(isAffected);
  });

  function forget(selector: string): boolean {
    const wasKnown = known.delete(selector);
    if (wasKnown) version += 1;
    return wasKnown;
  }

  async function lookUp(selector: string, context: RequestContext, address: string): Promise<ResolvedToken | null> {
    const unknownSince = unknown.get(selector);
    if (unknownSince !== undefined && clock() - unknownSince < unknownMs) return null;
    const entry = known.get(selector);
    const age = entry ? clock() - entry.askedAt : Number.POSITIVE_INFINITY;
    if (entry && age < freshMs) return entry.token;
    if (entry && age < staleMs) {
      // In the background. After a failure the entry only grows older.
      requests.ask(selector, context).catch(() => undefined);
      return entry.token;
    }
    const wasKnown = entry !== undefined || changed.has(selector);
    const answer = wasKnown ? requests.ask(selector, context) : requests.askUnderLimit(selector, context, address);
    if (entry && entry.token.actor === null && age < maxAgeMs) return answerOrCached(answer, entry.token);
    try {
      return await answer;
    } catch (error) {
      // Nothing was done yet, so `timeout` (outcome unknown) would be wrong.
      if (isAway(error))
        throw new AppError('unavailable', 'The accounts service cannot answer yet, so this token cannot be checked.', {
          retryAfterSeconds: 1,
        });
      throw error;
    }
  }

  /** The answer for an SDK token, or its cached value when accounts does not answer in time. */
  async function answerOrCached(
    answer: Promise<ResolvedToken | null>,
    cached: ResolvedToken,
  ): Promise<ResolvedToken | null> {
    const late = Symbol();
    const hasTimedOut = clock() - timedOutAt < noWaitMs;
    const first = await Promise.race([
      answer.catch(() => late),
      sleep(hasTimedOut ? 0 : timeoutMs, late, { ref: false }),
    ]);
    if (typeof first !== 'symbol') return first;
    timedOutAt = clock();
    return cached;
  }

  const hasExpired = ({ expiresAt }: ResolvedToken) => expiresAt !== null && Date.parse(expiresAt) <= clock();

  return {
    async find(presented, context, address) {
      const token = await lookUp(presented.selector, context, address);
      return token && isSameHash(token.hash, presented.hash) && !hasExpired(token) ? token : null;
    },
    async findByTicket(ticket, context, address) {
      const token = await lookUp(ticket.selector, context, address);
      return token && isTicketOf(ticket, token) && !hasExpired(token) ? token : null;
    },
    findNow(presented) {
      const entry = known.get(presented.selector);
      if (!entry || clock() - entry.askedAt >= freshMs) return null;
      if (entry.matched !== presented && !isSameHash(entry.token.hash, presented.hash)) return null;
      entry.matched = presented;
      return hasExpired(entry.token) ? null : entry.token;
    },
    onChange: (listener) => void listeners.push(listener),
    async confirm() {
      const since = clock();
      for (const { token } of [...known.values()]) {
        const isDue = () => (known.get(token.selector)?.askedAt ?? since) < since && bus.state().connected;
        while (token.actor === null && isDue())
          await requests
            .ask(token.selector, ownContext(noWaitMs))
            .catch(() => sleep(noWaitMs, undefined, { ref: false }));
      }
    },
    confirmed: () =>
      [...known.values()]
        .filter(({ token, askedAt }) => token.actor === null && clock() - askedAt < maxAgeMs && !hasExpired(token))
        .map(({ token, askedAt }) => ({ token, confirmedAt: askedAt })),
    version: () => version,
    health: () => requests.health,
    stop: () => requests.stop(),
  };
}

/** Puts the entry last and evicts the oldest one above `max`. */
function remember<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > max) map.delete(map.keys().next().value as string);
}
