import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { type ClaimedSignal, claimKey, type KeyClaim, takeLease } from '@yardarm/shared/contracts/signals';
import { AppError, isTransient } from '@yardarm/shared/errors';
import type { SignalSender } from '../http/route.ts';
import type { Admission } from './call-block.ts';
import { createKnownKeys } from './call-keys.ts';
import { createLeases, type Leases, type Taken } from './call-leases.ts';

/** Admits signals of all endpoints, with or without a key. */
export interface Admissions {
  /**
   * The id and createdAt of the signal. With a key that is known they are those of the earlier signal. Throws
   * `rate-limited`, `unprocessable` for a key of another body, or `unavailable`.
   */
  admit(sender: SignalSender, claim: KeyClaim | null, context: RequestContext): Promise<Admission>;
}

export function createAdmissions(bus: Bus): Admissions {
  /** By endpoint. Only endpoints that exist get here, and there are few. */
  const leases = new Map<number, Leases>();
  const keys = createKnownKeys();

  function leasesOf(endpointId: number): Leases {
    const known = leases.get(endpointId);
    if (known) return known;
    const made = createLeases((input, context) => bus.request(takeLease, { ...input, endpointId }, context));
    leases.set(endpointId, made);
    return made;
  }

  /** Claims a key with the admission that it takes, or with one of a block. */
  async function claimSignal({ endpointId, tokenId }: SignalSender, claim: KeyClaim, context: RequestContext) {
    const taken = await leasesOf(endpointId).take({ tokenId, claim, context });
    return taken.claimed ?? claimWith(taken, tokenId, claim, context);
  }

  /** One that is not used goes back. */
  async function claimWith(
    taken: Taken,
    tokenId: number,
    claim: KeyClaim,
    context: RequestContext,
  ): Promise<ClaimedSignal> {
    const { id, createdAt } = taken;
    try {
      const claimed = await bus.request(claimKey, { ...claim, tokenId, id, createdAt }, context);
      if (claimed.id !== id) taken.giveBack();
      return claimed;
    } catch (error) {
      if (!isTransient(error)) throw error;
      throw new AppError('unavailable', 'The signals service cannot answer yet, so this key cannot be checked.', {
        retryAfterSeconds: 1,
        cause: error,
      });
    }
  }

  return {
    async admit(sender, claim, context) {
      const { endpointId, tokenId } = sender;
      if (!claim) return leasesOf(endpointId).take({ tokenId, claim, context });
      const { id, createdAt, bodyHash } = await keys.find(sender, claim.key, () => claimSignal(sender, claim, context));
      if (bodyHash !== claim.bodyHash) {
        throw new AppError(
          'unprocessable',
          'The Idempotency-Key was used for a signal with another body in the last 24 hours. Send this body with a key of its own.',
        );
      }
      return { id, createdAt };
    },
  };
}
