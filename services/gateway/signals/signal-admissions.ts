import type { Bus, RequestContext } from '@yardarm/shared/bus';
import {
  type ClaimedSignal,
  claimKey,
  findKey,
  type KeyClaim,
  takeAdmissions,
} from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { refuseTransient } from '../refuse-transient.ts';
import type { SignalSender } from '../routing/route.ts';
import type { Admission } from './admission-block.ts';
import { AdmissionPool } from './admission-pool.ts';
import { createKnownKeys } from './idempotency-keys.ts';
import { RateWindow } from './rate-window.ts';

/** Of an endpoint. A flood of new keys beyond its rate so makes few requests, and gets 429 from memory. */
const maxFindsPerSecond = 10;

/**
 * Admits signals of all endpoints, with or without a key. A key that this gateway does not know is claimed by a request
 * of its own with an admission. If that admission would have to be requested, the key is looked up first, up to
 * `maxFindsPerSecond`. So a known key uses no admission, and gets its signal while none is free.
 */
export class SignalAdmissions {
  readonly #bus: Bus;
  readonly #keys = createKnownKeys();
  /** By endpoint. Only endpoints that exist get here, and there are few. */
  readonly #endpoints = new Map<number, { pool: AdmissionPool; finds: RateWindow }>();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /**
   * The id and createdAt of the signal. With a key that is known they are those of the earlier signal. Throws
   * `rate-limited`, `unprocessable` for a key of another body, or `unavailable`.
   */
  async admit(sender: SignalSender, claim: KeyClaim | null, context: RequestContext): Promise<Admission> {
    if (!claim) return this.#of(sender.endpointId).pool.take({ tokenId: sender.tokenId, context });
    const claimOnce = () => this.#claim(sender, claim, context);
    const { id, createdAt, bodyHash } = await this.#keys.find(sender, claim.key, claimOnce);
    if (bodyHash !== claim.bodyHash) {
      throw new AppError(
        'unprocessable',
        'The Idempotency-Key was used for a signal with another body in the last 24 hours. Send this body with a key of its own.',
      );
    }
    return { id, createdAt };
  }

  /**
   * What `admit` would throw from memory now; null unless it would. So the bodies of a flood are not parsed. A key may
   * have a signal that needs no admission.
   */
  refusal(sender: SignalSender, key: string | undefined): AppError | null {
    const { pool, finds } = this.#of(sender.endpointId);
    if (!pool.isRefusing()) return null;
    const mayFind = () => finds.waitMs(performance.now(), maxFindsPerSecond) === 0;
    if (key !== undefined && (this.#keys.has(sender, key) || mayFind())) return null;
    return pool.refuse();
  }

  #of(endpointId: number) {
    const known = this.#endpoints.get(endpointId);
    if (known) return known;
    const pool = new AdmissionPool((input, context) =>
      // The signals service of the release before requires the claim.
      this.#bus.request(takeAdmissions, { ...input, endpointId, claim: null }, context),
    );
    const made = { pool, finds: new RateWindow() };
    this.#endpoints.set(endpointId, made);
    return made;
  }

  async #claim(
    { endpointId, tokenId }: SignalSender,
    claim: KeyClaim,
    context: RequestContext,
  ): Promise<ClaimedSignal> {
    const { pool, finds } = this.#of(endpointId);
    const known = pool.hasAdmission() ? null : await this.#find(finds, tokenId, claim.key, context);
    if (known) return known;
    const admission = await pool.take({ tokenId, context });
    try {
      const claimed = await this.#bus.request(claimKey, { ...claim, tokenId, ...admission }, context);
      if (claimed.id !== admission.id) pool.giveBack(admission);
      return claimed;
    } catch (error) {
      refuseTransient('This key cannot be checked now.', 'signals', error);
    }
  }

  /** Null also without an answer, as from the signals service of the release before. The claim then has the signal. */
  async #find(finds: RateWindow, tokenId: number, key: string, context: RequestContext): Promise<ClaimedSignal | null> {
    const now = performance.now();
    if (finds.waitMs(now, maxFindsPerSecond) > 0) return null;
    finds.add(now);
    try {
      return (await this.#bus.request(findKey, { tokenId, key }, context)).claimed;
    } catch {
      return null;
    }
  }
}
