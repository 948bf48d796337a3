import type { PresentedToken } from '@yardarm/shared/auth';
import type { Bus } from '@yardarm/shared/bus';
import {
  findExistingSignalSelectors,
  findSignalToken,
  type SignalToken,
  signalEndpointChangedHint,
  signalTokenChangedHint,
} from '@yardarm/shared/contracts/signals';
import { type MaybePromise, whenThere } from '@yardarm/shared/waiting';
import { systemContext } from '../system-context.ts';
import { hasSecret } from './has-secret.ts';
import { type Caller, HintedCache } from './hinted-cache.ts';
import { measureCache } from './measure-cache.ts';
import type { UnknownTokenLimit } from './unknown-token-limit.ts';

/**
 * The gateway's cache of the tokens of signal endpoints, by selector, each with its endpoint (hinted-cache.ts). A hint
 * forgets tokens: `token-changed` by selector, `endpoint-changed` by endpoint. So a deletion or a switch takes effect
 * with one message, or by the clock when the message is lost. A stale token waits for signals: without it no signal
 * gets an admission anyway.
 */
export interface SignalTokens {
  /**
   * The token with this secret; null when it does not exist. Rejects with `unavailable` when it cannot be checked,
   * and with `rate-limited` when it is not cached and too many tokens wait for their check.
   */
  find(presented: PresentedToken, caller: Caller): MaybePromise<SignalToken | null>;
  /** Ends the measurement of the cache. */
  stop(): void;
}

/** The time of a check. Signals finds a thousand selectors in milliseconds. */
const checkTimeoutMs = 2_000;

export function createSignalTokens(bus: Bus, limit: UnknownTokenLimit, clock?: () => number): SignalTokens {
  const cache = new HintedCache<SignalToken>({
    limit,
    ...(clock && { clock }),
    ask: async (selector, context) =>
      (await bus.request(findSignalToken, { selector }, { ...context, actor: null })).token,
    askExisting: async (selectors) =>
      (await bus.request(findExistingSignalSelectors, { selectors: [...selectors] }, systemContext(checkTimeoutMs)))
        .existing,
    owner: 'signals',
  });
  bus.onHint(signalTokenChangedHint, ({ selector }) => cache.forget(selector));
  bus.onHint(signalEndpointChangedHint, ({ endpointId }) =>
    cache.forgetAll(({ endpoint }) => endpoint.id === endpointId),
  );
  return {
    find: (presented, caller) =>
      whenThere(cache.find(presented.selector, caller), (token) =>
        token && hasSecret(token, presented) ? token : null,
      ),
    stop: measureCache('signals', cache),
  };
}
