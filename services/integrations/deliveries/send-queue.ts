import type { StoredIntegration } from '../integrations/integration.ts';
import type { ClaimedDelivery } from './claims.repo.ts';
import { createSend, type Send, type SenderOptions } from './send.ts';
import type { SendSlots } from './send-slots.ts';
import type { EndedAttempt } from './settle.ts';

/**
 * The limit of concurrent sends to one integration, over all replicas. An endpoint that answers in 100 ms receives 80 a
 * second, and up to eight arrive at once. One that hangs for 20 s occupies eight sockets until its circuit opens.
 */
export const maxInFlight = 8;

/**
 * The most deliveries that are claimed at once, sent or not. A transaction costs Postgres as much as eight deliveries,
 * so its share is small with so many. All of them wait for `claimMs` when the process dies.
 */
export const maxClaimed = 64;

/** As many are claimed as the endpoint answers in this time, so that they are sent soon after they were claimed. */
const aheadMs = 100;

/**
 * A claimed delivery that is not sent in this time is given back: its endpoint has become slow, and its integration may
 * have been changed or disabled since.
 */
const staleMs = 1_000;

export interface SendQueueOptions extends SenderOptions {
  slots: SendSlots;
  /** Aborted when nothing more may be claimed. */
  stopping: AbortSignal;
  /** Aborted when sends must end. An attempt that cannot be settled at once is left until its claim expires. */
  cutOff: AbortSignal;
}

interface Unsent {
  integration: StoredIntegration;
  delivery: ClaimedDelivery;
  staleAt: number;
}

/**
 * The claimed deliveries of one integration, until they are settled or given back:
 *
 *   unsent --a send is free--> in flight --> ended
 *     \--stale, a failed send, a changed integration, stop--> returned
 *
 * unsent    Waits for one of at most `maxInFlight` sends, for bytes of the process, and for a turn if its messages are
 *           costly. The deliveries have different ordering keys.
 * in flight Occupies a permit and bytes of the process. A send that ends passes it to the next unsent delivery.
 * ended     Its attempt is to be settled.
 * returned  Its claim is to be given back. It was not sent.
 */
export class SendQueue {
  ended: EndedAttempt[] = [];
  returned: ClaimedDelivery[] = [];
  readonly #options: SendQueueOptions;
  readonly #integrationId: number;
  readonly #send: Send;
  readonly #onChange: () => void;
  #unsent: Unsent[] = [];
  #inFlight = 0;
  #reserved = 0;
  #ahead = maxInFlight;
  #endedSince = performance.now();

  /** `onChange` is called when a send has ended. */
  constructor(options: SendQueueOptions, integrationId: number, onChange: () => void) {
    this.#options = options;
    this.#integrationId = integrationId;
    this.#send = createSend(options);
    this.#onChange = onChange;
  }

  get hasUnsent(): boolean {
    return this.#unsent.length > 0;
  }

  /** Nothing is left to send although a send is free. */
  get isHungry(): boolean {
    return this.#unsent.length === 0 && this.#inFlight < this.#limit();
  }

  /** When an unsent delivery becomes stale. */
  get staleAt(): number {
    return this.#unsent[0]?.staleAt ?? Number.POSITIVE_INFINITY;
  }

  /** How many deliveries to claim. */
  room(): number {
    return Math.max(0, (this.#limit() === 1 ? 1 : this.#ahead) - this.#unsent.length - this.#inFlight);
  }

  /** Reserves free sends of the process. Returns how many deliveries to claim. `add` must follow. */
  reserve(): number {
    const room = this.room();
    if (room === 0 || !this.#options.slots.isOpen(this.#integrationId)) return 0;
    this.#reserved = this.#options.slots.acquire(this.#limit() - this.#inFlight, this.#integrationId);
    return this.#inFlight + this.#reserved === 0 ? 0 : room;
  }

  /** Adds claimed deliveries, begins to send, and releases the reserved sends that are not needed. */
  add(integration: StoredIntegration | undefined, claimed: readonly ClaimedDelivery[]): void {
    const staleAt = performance.now() + staleMs;
    for (const delivery of claimed) this.#unsent.push({ integration: integration!, delivery, staleAt });
    this.fill();
    this.#options.slots.release(this.#reserved, this.#integrationId);
    this.#reserved = 0;
  }

  /** Begins sends while the limits allow. Those in flight when the deliveries were claimed may have ended since. */
  fill(): void {
    const { slots } = this.#options;
    // A stop may have come during the transaction.
    this.returnUnsent({ all: false });
    while (this.#canSend()) {
      if (this.#reserved > 0) this.#reserved -= 1;
      else if (slots.acquire(1, this.#integrationId) === 0) return;
      this.#sendNext();
    }
  }

  /** Moves the stale unsent deliveries to `returned`, after a stop or with `all` every one. */
  returnUnsent({ all }: { all: boolean }): void {
    const now = performance.now();
    const isKept = ({ staleAt }: Unsent) => !all && !this.#options.stopping.aborted && staleAt > now;
    const kept = this.#unsent.filter(isKept);
    if (kept.length === this.#unsent.length) return;
    this.returned.push(...this.#unsent.filter((unsent) => !isKept(unsent)).map(({ delivery }) => delivery));
    this.#unsent = kept;
    // The endpoint is slower than before, or nothing may be sent ahead any more.
    this.#ahead = maxInFlight;
  }

  /** Takes ended attempts, one per delivery, at most `limit`. A delivery whose claim expired may have two. */
  takeEnded(limit: number): EndedAttempt[] {
    const eventIds = this.ended.map(({ delivery }) => delivery.eventId);
    const candidates = this.ended.filter(({ delivery }, index) => eventIds.indexOf(delivery.eventId) === index);
    const taken = candidates.slice(0, limit);
    this.ended = this.ended.filter((ended) => !taken.includes(ended));
    this.#measure(taken);
    return taken;
  }

  #measure(ended: readonly EndedAttempt[]): void {
    if (ended.length === 0) return;
    const now = performance.now();
    const answered = (ended.length * aheadMs) / Math.max(1, now - this.#endedSince);
    this.#ahead = ended.some(hasFailed)
      ? maxInFlight
      : Math.min(maxClaimed, Math.max(maxInFlight, Math.ceil(answered)));
    this.#endedSince = now;
  }

  /** When half of the sends of its pool are in use, an integration gets one, so that some are left for the others. */
  #limit(): number {
    return this.#options.slots.isHalfUsed(this.#integrationId) ? 1 : maxInFlight;
  }

  #canSend(): boolean {
    const { slots } = this.#options;
    return this.#unsent.length > 0 && this.#inFlight < this.#limit() && slots.isOpen(this.#integrationId);
  }

  #sendNext(): void {
    const { integration, delivery } = this.#unsent.shift()!;
    const { slots, cutOff } = this.#options;
    let held = 0;
    const hold = (bytes: number) => {
      held += bytes;
      slots.hold(bytes, this.#integrationId);
    };
    const took = (cpuMs: number) => slots.took(this.#integrationId, cpuMs);
    this.#inFlight += 1;
    void this.#send(integration, delivery, { cutOff, hold, took }).then((ended) => {
      this.#inFlight -= 1;
      slots.ended(this.#integrationId, ended.attempt.durationMs);
      hold(-held);
      this.ended.push(ended);
      // The settlement decides whether the endpoint gets more.
      this.returnUnsent({ all: hasFailed(ended) });
      if (this.#canSend()) this.#sendNext();
      else slots.release(1, this.#integrationId);
      this.#onChange();
    });
  }
}

function hasFailed({ result }: EndedAttempt): boolean {
  return result?.state !== 'success';
}
