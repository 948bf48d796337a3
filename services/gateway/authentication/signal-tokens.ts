import { isSameHash, type PresentedToken } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { resolveSignalToken } from '@yardarm/shared/contracts/signals';
import type { UnknownTokenLimit } from './unknown-token-limit.ts';

/** The endpoint that the path names, and the token, which may belong to another endpoint. */
export interface FoundSignalToken {
  endpoint: { id: number; enabled: boolean } | null;
  token: { id: number; endpointId: number };
}

/**
 * Looks up tokens of signal endpoints. It asks signals every time: an endpoint may be switched off at any moment, and
 * signals is asked for an admission anyway. The memory keeps guesses away from signals. States of a token:
 *
 *   known   -> Signals has known the token. It is asked without the limit of unknown tokens.
 *   unknown -> Signals had no such token. It is refused from memory for unknownMs.
 *   neither -> Signals is asked under the limit of unknown tokens.
 */
export interface SignalTokens {
  /** The token with this secret and the endpoint of this name; null without such a token. */
  find(
    presented: PresentedToken,
    endpointName: string,
    context: RequestContext,
    address: string,
  ): Promise<FoundSignalToken | null>;
}

// The same time as for tokens of accounts (tokens.ts).
const unknownMs = 10_000;
// Only selectors are stored: 22 letters each, two megabytes at most.
const maxRemembered = 20_000;

export function createSignalTokens(bus: Bus, limit: UnknownTokenLimit, clock: () => number = Date.now): SignalTokens {
  const known = new Set<string>();
  const unknown = new Map<string, number>();

  return {
    async find(presented, endpointName, context, address) {
      const { selector, hash } = presented;
      const unknownSince = unknown.get(selector);
      if (unknownSince !== undefined && clock() - unknownSince < unknownMs) return null;
      const ask = async () => {
        const { endpoint, token } = await bus.request(
          resolveSignalToken,
          { endpointName, selector },
          { ...context, actor: null },
        );
        return token && { endpoint, token };
      };
      const found = known.has(selector) ? await ask() : await limit.guard(address, ask);
      if (!found) {
        known.delete(selector);
        remember(unknown, selector, clock());
        return null;
      }
      unknown.delete(selector);
      known.delete(selector);
      known.add(selector);
      if (known.size > maxRemembered) known.delete(known.values().next().value as string);
      return isSameHash(found.token.hash, hash) ? found : null;
    },
  };
}

function remember(unknown: Map<string, number>, selector: string, at: number): void {
  unknown.delete(selector);
  unknown.set(selector, at);
  if (unknown.size > maxRemembered) unknown.delete(unknown.keys().next().value as string);
}
