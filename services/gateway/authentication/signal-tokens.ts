import { isSameHash, type PresentedToken } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { resolveSignalToken } from '@yardarm/shared/contracts/signals';
import type { UnknownTokenLimit } from './unknown-token-limit.ts';

/** What signals says of a token: the endpoint that the path names, and the token, of whichever endpoint. */
export interface FoundSignalToken {
  endpoint: { id: number; enabled: boolean } | null;
  token: { id: number; endpointId: number };
}

/**
 * Looks tokens of signal endpoints up. Signals is asked every time, since an endpoint may be switched off at any moment and is asked for an
 * admission anyway. What is remembered keeps guesses away from it:
 *
 *   met     -> signals has known the token: asked without counting against the address.
 *   unknown -> signals had no such token: refused from memory for unknownMs.
 *   neither -> asked under the limit of unknown tokens.
 */
export interface SignalTokens {
  /** The token with this secret and the endpoint of this name; null when there is no such token. */
  find(
    presented: PresentedToken,
    endpointName: string,
    context: RequestContext,
    address: string,
  ): Promise<FoundSignalToken | null>;
}

// As long as accounts' tokens are remembered to be unknown (tokens.ts).
const unknownMs = 10_000;
// Selectors alone: 22 letters each, two megabytes at the most.
const maxRemembered = 20_000;

/** Makes the memory of signal tokens. */
export function createSignalTokens(bus: Bus, limit: UnknownTokenLimit, clock: () => number = Date.now): SignalTokens {
  const met = new Set<string>();
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
      const found = met.has(selector) ? await ask() : await limit.guard(address, ask);
      if (!found) {
        met.delete(selector);
        remember(unknown, selector, clock());
        return null;
      }
      unknown.delete(selector);
      met.delete(selector);
      met.add(selector);
      if (met.size > maxRemembered) met.delete(met.values().next().value as string);
      return isSameHash(found.token.hash, hash) ? found : null;
    },
  };
}

function remember(unknown: Map<string, number>, selector: string, at: number): void {
  unknown.delete(selector);
  unknown.set(selector, at);
  if (unknown.size > maxRemembered) unknown.delete(unknown.keys().next().value as string);
}
