import { setTimeout as sleep } from 'node:timers/promises';
import { isSameHash, type PresentedToken } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import {
  accessChangedHint,
  type ResolvedToken,
  resolveToken,
  tokenChangedHint,
} from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { UnknownTokenLimit } from './unknown-token-limit.ts';

/**
 * What the gateway remembers of tokens, by selector.
 *
 *   absent  -> nothing is known: ask accounts and wait, unless the address has shown too many unknown tokens (unknown-token-limit.ts).
 *   changed -> it was known until a hint came: ask and wait, whatever the address has shown.
 *   fresh   -> asked less than freshMs ago: answer from memory.
 *   ageing  -> older than that: answer from memory, and ask again behind it.
 *   stale   -> older than staleMs, or what its owner may do has changed: ask and wait. While accounts cannot be reached an SDK token
 *              stays good until its own expiry, and is not waited for longer than timeoutMs, nor at all for a while after that was
 *              in vain; any other token is refused with 503, since its permissions may have been taken away.
 *   unknown -> accounts had no such token: refused from memory for unknownMs, so that guessing does not reach the database.
 *
 * `token-changed` makes a known entry changed and an unknown one absent at once, `access-changed` makes the entries of its user stale (those of everybody when it names
 * none): what was taken away is felt within the way of one message, and by the clock when the message is lost. An answer that was on
 * its way meanwhile is given to those who had asked for it and not remembered. Whatever accounts cannot say (`unavailable`) is
 * not remembered either. In every state a token ends at its own expiry.
 *
 * Known and unknown tokens are kept apart, so that guesses cannot push known tokens out.
 */
export interface Tokens {
  /**
   * The token with this secret, or null when there is none or it has expired. Throws `unavailable` when it cannot be known, and
   * `rate-limited` when the address has shown too many unknown tokens and this one is not known either.
   */
  find(presented: PresentedToken, context: RequestContext, address: string): Promise<ResolvedToken | null>;
  /** The same without waiting: the token when it is fresh and valid, else null. */
  findNow(presented: PresentedToken): ResolvedToken | null;
  /** Tells of every hint, when what is remembered has been shortened by it: which tokens it concerns. For whoever was let in before. */
  onChange(listener: (concerns: (token: ResolvedToken) => boolean) => void): void;
}

// A revocation whose hint was lost takes effect within 30 s: asking again begins at 10 s and must have succeeded by 25.
const freshMs = 10_000;
const staleMs = 25_000;
// An answer takes milliseconds; accounts that hangs must not slow the reads of SDKs down.
const timeoutMs = 300;
const notWaitingMs = 5_000;
// As long as a fresh token: one that is made after it was guessed works at once through the hint, at worst after this.
const unknownMs = 10_000;
// A token is about half a kilobyte with its grants: ten megabytes at the most.
const maxKnown = 20_000;
const maxUnknown = 20_000;

interface Known {
  token: ResolvedToken;
  askedAt: number;
  /** What was found to have the token's hash: compared once, however often the same object is presented. */
  matched?: PresentedToken;
}

/** Makes the gateway's memory of tokens and listens to the hints that shorten it. */
export function createTokens(bus: Bus, limit: UnknownTokenLimit, clock: () => number = Date.now): Tokens {
  const known = new Map<string, Known>();
  const changed = new Set<string>();
  const unknown = new Map<string, number>();
  const asking = new Map<string, Promise<ResolvedToken | null>>();
  const listeners: Parameters<Tokens['onChange']>[0][] = [];
  let waitedInVainAt = Number.NEGATIVE_INFINITY;

  bus.onHint(tokenChangedHint, ({ selector }) => {
    if (known.delete(selector)) changed.add(selector);
    if (changed.size > maxKnown) changed.delete(changed.values().next().value as string);
    unknown.delete(selector);
    // An answer that is already on its way may be older than the change: nobody may wait on it any more.
    asking.delete(selector);
    for (const tell of listeners) tell((token) => token.selector === selector);
  });

  bus.onHint(accessChangedHint, ({ userId }) => {
    const isTheirs = ({ actor }: ResolvedToken) => actor !== null && (userId === null || actor.id === userId);
    for (const entry of known.values()) if (isTheirs(entry.token)) entry.askedAt = Number.NEGATIVE_INFINITY;
    // Whose token is asked for is not known before the first answer.
    for (const selector of asking.keys()) {
      const entry = known.get(selector);
      if (!entry || isTheirs(entry.token)) asking.delete(selector);
    }
    for (const tell of listeners) tell(isTheirs);
  });

  /** Asks accounts, once for all who wait; under the limit of the address, when one is given. */
  function ask(selector: string, context: RequestContext, address: string | null): Promise<ResolvedToken | null> {
    const underWay = asking.get(selector);
    if (underWay !== undefined) return underWay;
    const request = async () => (await bus.request(resolveToken, { selector }, { ...context, actor: null })).token;
    const question = (address === null ? request() : limit.guard(address, request)).then((token) => {
      if (asking.get(selector) !== question) return token;
      changed.delete(selector);
      if (token) {
        unknown.delete(selector);
        remember(known, selector, { token, askedAt: clock() }, maxKnown);
      } else {
        known.delete(selector);
        remember(unknown, selector, clock(), maxUnknown);
      }
      return token;
    });
    asking.set(selector, question);
    const forget = () => {
      if (asking.get(selector) === question) asking.delete(selector);
    };
    question.then(forget, forget);
    return question;
  }

  /** Asks for a token that nothing is known of. */
  async function askUnderLimit(
    selector: string,
    context: RequestContext,
    address: string,
  ): Promise<ResolvedToken | null> {
    for (let underWay = asking.get(selector); underWay !== undefined; underWay = asking.get(selector)) {
      try {
        return await underWay;
      } catch (error) {
        // The limit of whoever asked first may be another address's.
        if (!(error instanceof AppError && error.code === 'rate-limited')) throw error;
      }
    }
    return ask(selector, context, address);
  }

  async function lookUp(selector: string, context: RequestContext, address: string): Promise<ResolvedToken | null> {
    const unknownSince = unknown.get(selector);
    if (unknownSince !== undefined && clock() - unknownSince < unknownMs) return null;
    const entry = known.get(selector);
    const age = entry ? clock() - entry.askedAt : Number.POSITIVE_INFINITY;
    if (entry && age < freshMs) return entry.token;
    if (entry && age < staleMs) {
      // Asked behind the answer; when it fails, the entry only grows older.
      ask(selector, context, null).catch(() => undefined);
      return entry.token;
    }
    const wasKnown = entry !== undefined || changed.has(selector);
    const answer = wasKnown ? ask(selector, context, null) : askUnderLimit(selector, context, address);
    if (entry && entry.token.actor === null) return answeredInTime(answer, entry.token);
    try {
      return await answer;
    } catch (error) {
      const isAway = error instanceof AppError && (error.code === 'unavailable' || error.code === 'timeout');
      // Nothing was done yet, so "outcome unknown" would say too much.
      if (isAway)
        throw new AppError('unavailable', 'The accounts service cannot answer yet, so this token cannot be checked.', {
          retryAfterSeconds: 1,
        });
      throw error;
    }
  }

  /** What accounts says of an SDK token, or what was known of it when accounts does not say. */
  async function answeredInTime(
    answer: Promise<ResolvedToken | null>,
    known: ResolvedToken,
  ): Promise<ResolvedToken | null> {
    const late = Symbol();
    const isWaitingVain = clock() - waitedInVainAt < notWaitingMs;
    const first = await Promise.race([
      answer.catch(() => late),
      sleep(isWaitingVain ? 0 : timeoutMs, late, { ref: false }),
    ]);
    if (typeof first !== 'symbol') return first;
    waitedInVainAt = clock();
    return known;
  }

  const hasExpired = ({ expiresAt }: ResolvedToken) => expiresAt !== null && Date.parse(expiresAt) <= clock();

  return {
    async find(presented, context, address) {
      const token = await lookUp(presented.selector, context, address);
      return token && isSameHash(token.hash, presented.hash) && !hasExpired(token) ? token : null;
    },
    findNow(presented) {
      const entry = known.get(presented.selector);
      if (!entry || clock() - entry.askedAt >= freshMs) return null;
      if (entry.matched !== presented && !isSameHash(entry.token.hash, presented.hash)) return null;
      entry.matched = presented;
      return hasExpired(entry.token) ? null : entry.token;
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Puts the entry last and drops the one that has been there longest when there are too many. */
function remember<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
