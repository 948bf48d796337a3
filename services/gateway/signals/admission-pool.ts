import type { RequestContext } from '@yardarm/shared/bus';
import {
  type BlockEnd,
  maxAdmissionsPerBlock,
  maxBlockLifetimeMs,
  type takeAdmissions,
} from '@yardarm/shared/contracts/signals';
import { AppError, coerceError, isTransient } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { RateLimited } from '../rate-limited.ts';
import { systemContext } from '../system-context.ts';
import { type Admission, AdmissionBlock } from './admission-block.ts';
import { AdmissionDemand, requestIntervalMs } from './admission-demand.ts';
import { RateWindow } from './rate-window.ts';

export interface AdmissionRequest {
  tokenId: number;
  context: RequestContext;
}

export type RequestBlock = (
  input: Omit<z.input<typeof takeAdmissions.input>, 'endpointId' | 'claim'>,
  context: RequestContext,
) => Promise<Pick<z.output<typeof takeAdmissions.output>, 'limit' | 'lease' | 'retryAfterMs'>>;

interface Waiter extends AdmissionRequest {
  arrivedAt: number;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
}

/** How long a block can be used after its answer, if that takes as long as is expected. */
const blockTtlMs = 50;
/** An answer may take so much longer than is expected. */
const rttMarginMs = 5;
/** A request ahead of need is answered in milliseconds. When it fails, the next sender's request makes another one. */
const aheadTimeoutMs = 2_000;
/** The limit of the contract. Reports beyond it go with the next request. */
const maxReports = 100;

/**
 * The admissions of one endpoint in this gateway, for all of its tokens. A sender's request takes an admission of a
 * block in memory. Without one it waits for the next block. States:
 *
 *   idle        Nothing is requested. No sender waits.
 *   paced       Senders wait, and the next block is requested when the pace allows it. A timer runs.
 *   requesting  A block is requested. Its admissions are given to the senders who wait, in the order of their arrival.
 *               If some wait on, the next block is requested.
 *
 * Invariants:
 *
 *   1. At most one request for a block is in flight. It is made ahead, in `idle`, when the blocks will be used up
 *      before another one could be answered.
 *   2. Until `refusedUntil` no admission can be free, by the last answer or by the pace. Senders for whom no block has
 *      an admission are refused from memory, so none waits.
 *   3. The pace: `requestIntervalMs` between two requests, and in any second at most two more than the limit. So
 *      gateways that lose races for an admission cannot flood signals.
 *   4. A request reports the blocks that are over. A report stays until it is answered, because it may be sent twice.
 *   5. A failure `unauthenticated` is for its token alone. Any other one refuses all who wait: each would wait for its
 *      own timeout. Without an answer no signal was accepted.
 */
export class AdmissionPool {
  readonly #requestBlock: RequestBlock;
  readonly #clock: () => number;
  readonly #demand: AdmissionDemand;
  readonly #requests = new RateWindow();
  #state: 'idle' | 'paced' | 'requesting' = 'idle';
  #lastRequestAt = Number.NEGATIVE_INFINITY;
  #refusedUntil = Number.NEGATIVE_INFINITY;
  /** Until signals has told the limit, the smallest one sets the pace. */
  #limit = 1;
  #blocks: AdmissionBlock[] = [];
  #reports: BlockEnd[] = [];
  #waiters: Waiter[] = [];

  constructor(requestBlock: RequestBlock, clock: () => number = () => performance.now()) {
    this.#requestBlock = requestBlock;
    this.#clock = clock;
    this.#demand = new AdmissionDemand(clock());
  }

  /** Throws `rate-limited`, the refusals of signals, or `unavailable`. */
  take(request: AdmissionRequest): Admission | Promise<Admission> {
    const arrivedAt = this.#clock();
    this.#demand.addArrival();
    const admission = this.#use(arrivedAt);
    if (admission) {
      this.#requestAhead(arrivedAt, request.tokenId);
      return admission;
    }
    if (arrivedAt < this.#refusedUntil) throw rateLimited(this.#refusedUntil - arrivedAt);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ ...request, arrivedAt, resolve, reject });
      this.#requestNext();
    });
  }

  /** Whether `take` would refuse from memory. */
  isRefusing(): boolean {
    return this.#clock() < this.#refusedUntil && !this.hasAdmission();
  }

  /** The refusal of a sender who arrives while the pool is refusing. */
  refuse(): AppError {
    this.#demand.addArrival();
    return rateLimited(this.#refusedUntil - this.#clock());
  }

  /** Takes an admission back that no signal has. */
  giveBack(admission: Admission): void {
    this.#blocks.some((block) => block.giveBack(admission));
  }

  /** Whether `take` would answer from memory with an admission. */
  hasAdmission(): boolean {
    return this.#left(this.#clock()) > 0;
  }

  #left(at: number): number {
    return this.#blocks.reduce((sum, block) => sum + block.left(at), 0);
  }

  #use(arrivedAt: number): Admission | null {
    for (const block of this.#blocks) {
      const admission = block.use(arrivedAt);
      if (admission) return admission;
    }
    return null;
  }

  #paceMs(now: number): number {
    return Math.max(this.#lastRequestAt + requestIntervalMs - now, this.#requests.waitMs(now, this.#limit + 2), 0);
  }

  #requestAhead(now: number, tokenId: number): void {
    if (this.#state !== 'idle' || now < this.#refusedUntil) return;
    const leadMs = this.#demand.rttMs + rttMarginMs;
    if (this.#left(now + leadMs) >= this.#demand.arrivalsIn(leadMs) || this.#paceMs(now) > 0) return;
    void this.#request(now, { tokenId, context: systemContext(aheadTimeoutMs) });
  }

  #requestNext(): void {
    const [first] = this.#waiters;
    if (this.#state !== 'idle' || !first) return;
    const now = this.#clock();
    const paceMs = this.#paceMs(now);
    if (paceMs > requestIntervalMs) this.#refusedUntil = Math.max(this.#refusedUntil, now + paceMs);
    if (now < this.#refusedUntil) {
      const error = rateLimited(this.#refusedUntil - now);
      this.#refuse(() => true, error);
    } else if (paceMs === 0) {
      void this.#request(now, first);
    } else {
      this.#state = 'paced';
      setTimeout(() => this.#continue(), Math.ceil(paceMs));
    }
  }

  #continue(): void {
    this.#state = 'idle';
    this.#requestNext();
  }

  /** Never rejects. */
  async #request(requestedAt: number, { tokenId, context }: AdmissionRequest): Promise<void> {
    this.#state = 'requesting';
    this.#lastRequestAt = requestedAt;
    this.#requests.add(requestedAt);
    this.#endBlocks(requestedAt);
    const ended = this.#reports.slice(0, maxReports);
    const lifetimeMs = Math.min(maxBlockLifetimeMs, blockTtlMs + Math.ceil(this.#demand.rttMs));
    try {
      const input = { tokenId, wanted: this.#neededCount(requestedAt), lifetimeMs, ended };
      const { limit, lease, retryAfterMs } = await this.#requestBlock(input, context);
      const now = this.#clock();
      this.#demand.addRtt(now - requestedAt);
      this.#reports.splice(0, ended.length);
      this.#limit = limit;
      this.#refusedUntil = retryAfterMs > 0 ? now + retryAfterMs : Number.NEGATIVE_INFINITY;
      if (lease) this.#blocks.push(new AdmissionBlock(lease, requestedAt));
      this.#serveWaiters();
    } catch (error) {
      this.#fail(error, tokenId);
    }
    this.#continue();
  }

  /** Admissions for those who wait, and for those who arrive before the answer to the request after this one. */
  #neededCount(now: number): number {
    this.#demand.measureArrivals(now);
    // Rounded down: until an unused admission is reported, it is missing elsewhere.
    const expected = Math.floor(this.#demand.arrivalsIn(requestIntervalMs + this.#demand.rttMs + rttMarginMs));
    const needed = expected + this.#waiters.length - this.#left(now);
    return Math.max(1, Math.min(maxAdmissionsPerBlock, needed));
  }

  #endBlocks(now: number): void {
    const isOver = Map.groupBy(this.#blocks, (block) => block.left(now) === 0);
    this.#blocks = isOver.get(false) ?? [];
    this.#reports.push(...(isOver.get(true) ?? []).map((block) => block.end()));
  }

  #serveWaiters(): void {
    for (let [first] = this.#waiters; first; [first] = this.#waiters) {
      const admission = this.#use(first.arrivedAt);
      if (!admission) return;
      this.#waiters.shift();
      first.resolve(admission);
    }
  }

  #fail(thrown: unknown, tokenId: number): void {
    const error = isTransient(thrown) ? unavailable(thrown) : thrown;
    const code = error instanceof AppError ? error.code : null;
    // No block outlives its endpoint.
    if (code === 'not-found') this.#blocks = [];
    this.#refuse((waiter) => code !== 'unauthenticated' || waiter.tokenId === tokenId, error);
  }

  #refuse(isRefused: (waiter: Waiter) => boolean, error: unknown): void {
    const refused = this.#waiters.filter(isRefused);
    this.#waiters = this.#waiters.filter((waiter) => !isRefused(waiter));
    for (const waiter of refused) waiter.reject(error);
  }
}

function rateLimited(retryAfterMs: number): AppError {
  const message = 'This signal endpoint has received as many signals as it accepts per second. Try again later.';
  return new RateLimited('signals', message, Math.max(1, Math.ceil(retryAfterMs / 1_000)));
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', `The signal was not accepted: ${coerceError(cause).message}`, {
    retryAfterSeconds: 1,
    cause,
  });
}
