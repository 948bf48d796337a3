import type { ClaimedSignal } from '@yardarm/shared/contracts/signals';
import { LRUCache } from 'lru-cache';
import type { SignalSender } from '../routing/route.ts';

/**
 * The keys whose signals this gateway knows, so that a sender that repeats a signal uses no call to signals. An
 * endpoint of one signal a second has three calls. States of a key, per token:
 *
 *   absent    Nothing is known. The next request claims it.
 *   claiming  A claim is in flight. Further requests with the key wait for it, and get its signal or its refusal.
 *   known     Signals has answered, whether this claim was the first or not. Requests are answered from memory.
 *
 * Invariants:
 *
 *   1. What is known is true as long as the key is claimed, because a claim never changes. The gateway counts
 *      `keptMs` of the answer from before the request, so a key is absent here before it is free there.
 *   2. A claim that fails leaves the key absent: its outcome is unknown, or no admission was free.
 *   3. Only requests of its token find a key, after the cache of tokens has accepted them. Ids of tokens are never used
 *      again. So a key needs no hint of its token or endpoint.
 *   4. Memory has at most `maxEndpoints` endpoints with `maxKeys` keys each, the last ones that were used. A key that
 *      was forgotten is absent. The keys of a busy endpoint do not displace those of another.
 */
export interface KnownKeys {
  /** The signal of a key. `claim` asks signals; it begins before the first wait. */
  find(sender: SignalSender, key: string, claim: () => Promise<ClaimedSignal>): ClaimedSignal | Promise<ClaimedSignal>;
  /** Whether `find` would not call `claim`. */
  has(sender: SignalSender, key: string): boolean;
}

/** What an endpoint of ten a second accepts in a minute, nearly. */
const maxKeys = 500;
/** A key of 255 characters with its signal takes half a kilobyte: 13 MB at most. */
const maxEndpoints = 50;

interface KnownKey {
  claimed: ClaimedSignal;
  until: number;
}

export function createKnownKeys(clock: () => number = () => performance.now()): KnownKeys {
  const known = new LRUCache<number, LRUCache<string, KnownKey>>({ max: maxEndpoints });
  const claiming = new Map<string, Promise<ClaimedSignal>>();

  function fromMemory(endpointId: number, name: string, now: number): ClaimedSignal | null {
    const found = known.get(endpointId)?.get(name);
    return found && now < found.until ? found.claimed : null;
  }

  async function claimOnce(
    endpointId: number,
    name: string,
    startedAt: number,
    claim: () => Promise<ClaimedSignal>,
  ): Promise<ClaimedSignal> {
    try {
      const claimed = await claim();
      const keys = known.get(endpointId) ?? new LRUCache<string, KnownKey>({ max: maxKeys });
      keys.set(name, { claimed, until: startedAt + claimed.keptMs });
      known.set(endpointId, keys);
      return claimed;
    } finally {
      claiming.delete(name);
    }
  }

  const nameOf = ({ tokenId }: SignalSender, key: string) => `${tokenId} ${key}`;
  const foundOf = (endpointId: number, name: string, now: number) =>
    fromMemory(endpointId, name, now) ?? claiming.get(name);

  return {
    has: (sender, key) => foundOf(sender.endpointId, nameOf(sender, key), clock()) !== undefined,
    find(sender, key, claim) {
      const { endpointId } = sender;
      const name = nameOf(sender, key);
      const now = clock();
      const found = foundOf(endpointId, name, now);
      if (found) return found;
      const claimed = claimOnce(endpointId, name, now, claim);
      claiming.set(name, claimed);
      return claimed;
    },
  };
}
