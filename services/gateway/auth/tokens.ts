import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { PresentedToken } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import {
  accessChangedHint,
  findExistingSelectors,
  type ResolvedToken,
  resolveToken,
  tokenChangedHint,
} from '@yardarm/shared/contracts/accounts';
import type { PartHealth } from '@yardarm/shared/service';
import { type MaybePromise, whenThere } from '@yardarm/shared/waiting';
import { systemContext } from '../system-context.ts';
import { AccountsHealth } from './accounts-health.ts';
import { hasSecret } from './has-secret.ts';
import { type CacheEntry, type Caller, HintedCache, staleMs, steadyNow } from './hinted-cache.ts';
import { measureCache } from './measure-cache.ts';
import { isTicketOf, type Ticket } from './tickets.ts';
import type { UnknownTokenLimit } from './unknown-token-limit.ts';

/**
 * The gateway's cache of the tokens of accounts, by selector (hinted-cache.ts). `token-changed` forgets a token, and
 * `access-changed` makes those of its user stale, or all of them when it names no user. So a revocation takes effect
 * with one message, or by the clock when the message is lost. In every state a token ends at its expiry.
 *
 * Tokens of the copy begin as stale: a revocation during the restart has to take effect. While accounts is unavailable,
 * a stale SDK token stays valid until its expiry, at most maxAgeMs after the answer: a request waits at most timeoutMs,
 * and not at all for noWaitMs after such a timeout. Any other token is refused with 503, since its permissions may have
 * been revoked.
 *
 * A process without a connection misses hints, so it asks again for all SDK tokens when it connects (`confirm`), also
 * for those that no SDK uses.
 */
export interface Tokens {
  /**
   * The token with this secret; null when it does not exist or has expired. Rejects with `unavailable` when it cannot
   * be checked, and with `rate-limited` when it is not cached and too many tokens wait for their check.
   */
  find(presented: PresentedToken, caller: Caller): MaybePromise<ResolvedToken | null>;
  /** The token of this ticket. Otherwise the same. */
  findByTicket(ticket: Ticket, caller: Caller): MaybePromise<ResolvedToken | null>;
  /** Calls the listener after each hint has changed the cache, with a predicate for the affected tokens. */
  onChange(listener: (isAffected: (token: ResolvedToken) => boolean) => void): void;
  /** Asks accounts for each SDK token, one after another, until it has answered or NATS is lost. Never rejects. */
  confirm(): Promise<void>;
  /** The SDK tokens that are valid without accounts. */
  confirmed(): ConfirmedToken[];
  /** A number that changes with these tokens. It stays the same when accounts only confirms them. */
  version(): number;
  health(): PartHealth;
  /** Ends the requests that wait for accounts to answer again. */
  stop(): void;
}

/** An SDK token, and when accounts last confirmed it, in epoch ms by the clock at the start of the process. */
export interface ConfirmedToken {
  token: ResolvedToken;
  confirmedAt: number;
}

export interface TokenOptions {
  /** How long an SDK token is valid without an answer of accounts; without it, until its expiry. */
  maxAgeMs?: number;
  diskCopy?: readonly ConfirmedToken[] | undefined;
  /** Then the gateway is not ready before it knows tokens: those of the copy, or all after an answer of accounts. */
  isReadBySdks?: boolean;
  /** The clock of ages and expiries. By default ages have `steadyNow`, and expiries the clock of the system. */
  clock?: () => number;
}

// An answer takes milliseconds. A hanging accounts must not delay the reads of SDKs.
const timeoutMs = 300;
const noWaitMs = 5_000;
/** The repeated request of an outage. Accounts answers in milliseconds. */
const repeatTimeoutMs = 5_000;
/** The time of a check. Accounts finds a thousand selectors in milliseconds. */
const checkTimeoutMs = 2_000;
/** Shorter than every selector, so no token has it. */
const noSelector = 'readiness';

export function createTokens(bus: Bus, limit: UnknownTokenLimit, options: TokenOptions = {}): Tokens {
  const { maxAgeMs = Number.POSITIVE_INFINITY, diskCopy = [], isReadBySdks = false, clock = steadyNow } = options;
  const accounts = new AccountsHealth({ isNeeded: isReadBySdks && diskCopy.length === 0 });
  let version = 0;
  let timedOutAt = Number.NEGATIVE_INFINITY;
  const listeners: Parameters<Tokens['onChange']>[0][] = [];

  const ofCopy = diskCopy.map(
    ({ token, confirmedAt }) =>
      [token.selector, { value: token, askedAt: Math.min(confirmedAt, clock() - staleMs) }] as const,
  );
  const cache = new HintedCache<ResolvedToken>(
    {
      ...{ ask, askExisting, limit, whenStale, clock },
      owner: 'accounts',
      onChange(earlier, later) {
        if (!isDeepStrictEqual(earlier, later)) version += 1;
      },
    },
    ofCopy,
  );
  const stopMeasuring = measureCache('accounts', cache);

  if (accounts.health !== null) cache.ask(noSelector, systemContext(repeatTimeoutMs)).catch(() => undefined);

  bus.onHint(tokenChangedHint, ({ selector }) => {
    cache.forget(selector);
    for (const listener of listeners) listener((token) => token.selector === selector);
  });
  bus.onHint(accessChangedHint, ({ userId }) => {
    const isAffected = ({ actor }: ResolvedToken) => actor !== null && (userId === null || actor.id === userId);
    cache.expire(isAffected);
    for (const listener of listeners) listener(isAffected);
  });

  async function ask(selector: string, context: RequestContext): Promise<ResolvedToken | null> {
    try {
      const { token } = await bus.request(resolveToken, { selector }, { ...context, actor: null });
      accounts.answered();
      return token;
    } catch (error) {
      accounts.failed(error, () => cache.ask(selector, systemContext(repeatTimeoutMs)));
      throw error;
    }
  }

  async function askExisting(selectors: readonly string[]): Promise<readonly string[]> {
    try {
      const { existing } = await bus.request(
        findExistingSelectors,
        { selectors: [...selectors] },
        systemContext(checkTimeoutMs),
      );
      accounts.answered();
      return existing;
    } catch (error) {
      accounts.failed(error, () => cache.ask(noSelector, systemContext(repeatTimeoutMs)));
      throw error;
    }
  }

  const isOfSdk = ({ value, askedAt }: CacheEntry<ResolvedToken>) =>
    value.actor === null && clock() - askedAt < maxAgeMs;

  /** The answer for an SDK token, or its cached value when accounts does not answer in time. */
  function whenStale(entry: CacheEntry<ResolvedToken>, answer: Promise<ResolvedToken | null>) {
    if (!isOfSdk(entry)) return undefined;
    const late = Symbol();
    const hasTimedOut = clock() - timedOutAt < noWaitMs;
    const limited = sleep(hasTimedOut ? 0 : timeoutMs, late, { ref: false });
    return Promise.race([answer.catch(() => late), limited]).then((first) => {
      if (typeof first !== 'symbol') return first;
      timedOutAt = clock();
      return entry.value;
    });
  }

  const hasExpired = ({ expiresAt }: ResolvedToken) =>
    expiresAt !== null && Date.parse(expiresAt) <= (options.clock ?? Date.now)();

  return {
    find: (presented, caller) =>
      whenThere(cache.find(presented.selector, caller), (token) =>
        token && hasSecret(token, presented) && !hasExpired(token) ? token : null,
      ),
    findByTicket: (ticket, caller) =>
      whenThere(cache.find(ticket.selector, caller), (token) =>
        token && isTicketOf(ticket, token) && !hasExpired(token) ? token : null,
      ),
    onChange: (listener) => void listeners.push(listener),
    async confirm() {
      const since = clock();
      for (const [selector, { value }] of cache.entries()) {
        const isDue = () => (cache.peek(selector)?.askedAt ?? since) < since && bus.state().connected;
        while (value.actor === null && isDue())
          await cache.ask(selector, systemContext(noWaitMs)).catch(() => sleep(noWaitMs, undefined, { ref: false }));
      }
    },
    confirmed: () =>
      cache
        .entries()
        .filter(([, entry]) => isOfSdk(entry) && !hasExpired(entry.value))
        .map(([, { value, askedAt }]) => ({ token: value, confirmedAt: askedAt })),
    version: () => version,
    health: () => accounts.health,
    stop() {
      stopMeasuring();
      accounts.stop();
    },
  };
}
