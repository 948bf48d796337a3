import type { RequestContext } from '@yardarm/shared/bus';
import {
  type ClaimedSignal,
  type KeyClaim,
  type LeaseEnd,
  maxAdmissionsPerLease,
  maxLeaseLifetimeMs,
  maxSingleRate,
  type takeLease,
} from '@yardarm/shared/contracts/signals';
import { AppError, coerceError, isTransient } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { ownContext } from '../own-context.ts';
import { type Admission, Block } from './call-block.ts';

/**
 * The admissions of one endpoint in this gateway, for all of its tokens. States:
 *
 *   stocked  A block is usable. A request takes an admission from memory. When the blocks will be used up before
 *            another call could be answered, a call is made ahead.
 *   refused  No admission can be free before `refusedUntil`, by the last answer. Requests are refused from memory.
 *   empty    Requests wait for the answer of the call in flight, or of the next one. What it brings is given to them in
 *            their order. If some wait on, the next call is made when the pace allows it.
 *
 * At most one call is in flight. The pace: up to `maxSingleRate` at most two more calls a second than the limit, so
 * that gateways that lose races for an admission cannot flood signals; above, a call each `blockPaceMs`. A call reports
 * the blocks that have ended. A report stays until it is answered, because it may be sent twice.
 *
 * A call that fails with `unauthenticated` is refused for its token alone. Any other failure refuses all who wait: each
 * would wait for its own timeout.
 */
export interface Leases {
  /** Throws `rate-limited`, the refusals of signals, or `unavailable`. */
  take(request: TakeRequest): Taken | Promise<Taken>;
}

export interface TakeRequest {
  tokenId: number;
  /** Claimed with the admission up to `maxSingleRate`; above, the caller claims it with what it took. */
  claim: KeyClaim | null;
  context: RequestContext;
}

/** What a request got. */
export interface Taken extends Admission {
  /** The signal of its claim, when signals has claimed it. Then `id` and `createdAt` are of that signal. */
  claimed: ClaimedSignal | null;
  /** Takes the admission back, if it was of a block. */
  giveBack(): void;
}

export type AskForLease = (
  input: Omit<z.input<typeof takeLease.input>, 'endpointId'>,
  context: RequestContext,
) => Promise<z.output<typeof takeLease.output>>;

/** 40 calls a second. */
const blockPaceMs = 25;
/** How long a block can be used after its call. Before the call's answer its lifetime passes unused. */
const usableMs = 50;
/** The time that a call may take longer than is expected. */
const marginMs = 5;
/**
 * A slow call is expected again for some ten calls: on a busy machine calls of 10 ms and of 100 ms alternate, and
 * requests would wait for each slow one.
 */
const slowFade = 0.9;
/** A call ahead takes milliseconds. When it fails, the next request makes another one. */
const aheadTimeoutMs = 2_000;
const secondMs = 1_000;
/** The limit of the contract. Reports beyond it go with the next call. */
const maxReports = 100;

interface Waiter extends TakeRequest {
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

export function createLeases(ask: AskForLease, clock: () => number = () => performance.now()): Leases {
  // Until signals has told the limit, the smallest one sets the pace.
  let limit = 1;
  let blocks: Block[] = [];
  const ended: LeaseEnd[] = [];
  let waiters: Waiter[] = [];
  let refusedUntil = Number.NEGATIVE_INFINITY;
  let isCalling = false;
  let isWaitingForPace = false;
  /** The starts of the calls of the last second. */
  let calledAt: number[] = [];
  /** How long the next call may take. */
  let callMs = 0;
  /** Requests since the last call, and per millisecond before it. */
  let demand = 0;
  let demandSince = clock();
  let demandPerMs = 0;

  const isSingle = () => limit <= maxSingleRate;
  const left = (now: number) => blocks.reduce((sum, block) => sum + block.left(now), 0);

  function use(now: number): Taken | null {
    for (const block of blocks) {
      const admission = block.use(now);
      if (admission) return { ...admission, claimed: null, giveBack: () => block.giveBack(admission) };
    }
    return null;
  }

  /** 0 when a call may be made now. */
  function paceWait(now: number): number {
    calledAt = calledAt.filter((at) => now - at < secondMs);
    if (!isSingle()) return Math.max(0, (calledAt.at(-1) ?? Number.NEGATIVE_INFINITY) + blockPaceMs - now);
    const [oldest] = calledAt.slice(-(limit + 2));
    return calledAt.length < limit + 2 ? 0 : oldest! + secondMs - now;
  }

  function pump(): void {
    const now = clock();
    const [first] = waiters;
    if (isCalling || !first) return;
    const wait = paceWait(now);
    if (isSingle() && wait > 0) refusedUntil = Math.max(refusedUntil, now + wait);
    if (now < refusedUntil) refuseWaiting(now);
    else if (wait === 0) void call(first, now);
    else if (!isWaitingForPace) {
      isWaitingForPace = true;
      setTimeout(() => {
        isWaitingForPace = false;
        pump();
      }, Math.ceil(wait));
    }
  }

  function refuseWaiting(now: number): void {
    const refused = waiters;
    waiters = [];
    const error = rateLimited(refusedUntil - now);
    for (const waiter of refused) waiter.reject(error);
  }

  /** Makes a call ahead when the blocks end before the answer to a later one. */
  function callAhead(now: number, { tokenId }: TakeRequest): void {
    if (isCalling || isSingle() || now < refusedUntil) return;
    const leadMs = callMs + marginMs;
    if (left(now + leadMs) >= demandPerMs * leadMs || paceWait(now) > 0) return;
    void call({ tokenId, claim: null, context: ownContext(aheadTimeoutMs) }, now);
  }

  /** Never rejects. A waiter that it is made for is the first one until it is answered. */
  async function call(caller: TakeRequest | Waiter, startedAt: number): Promise<void> {
    isCalling = true;
    calledAt.push(startedAt);
    const input = {
      tokenId: caller.tokenId,
      wanted: estimate(startedAt),
      lifetimeMs: Math.min(maxLeaseLifetimeMs, usableMs + Math.ceil(callMs)),
      ended: reports(startedAt),
      claim: isSingle() ? caller.claim : null,
    };
    try {
      const answer = await ask(input, caller.context);
      const now = clock();
      callMs = Math.max(now - startedAt, callMs * slowFade);
      ended.splice(0, input.ended.length);
      limit = answer.limit;
      refusedUntil = answer.retryAfterMs > 0 ? now + answer.retryAfterMs : Number.NEGATIVE_INFINITY;
      accept(answer, startedAt);
      for (let taken = waiters.length > 0 && use(now); taken; taken = waiters.length > 0 && use(now)) {
        waiters.shift()!.resolve(taken);
      }
    } catch (error) {
      fail(caller, error);
    }
    isCalling = false;
    pump();
  }

  /** Admissions for the time until the answer to the next call, and for those who wait. */
  function estimate(now: number): number {
    // A single request says little about the next ones: what is not used is missing elsewhere.
    demandPerMs = demand / Math.max(blockPaceMs, now - demandSince);
    demand = 0;
    demandSince = now;
    const expected = Math.round(demandPerMs * (blockPaceMs + callMs + marginMs));
    const needed = expected + waiters.length - left(now);
    return Math.max(1, Math.min(maxAdmissionsPerLease, needed));
  }

  function reports(now: number): LeaseEnd[] {
    const isOver = Map.groupBy(blocks, (block) => block.left(now) === 0);
    blocks = isOver.get(false) ?? [];
    ended.push(...(isOver.get(true) ?? []).map((block) => block.end()));
    return ended.slice(0, maxReports);
  }

  function accept({ lease, claimed }: z.output<typeof takeLease.output>, startedAt: number): void {
    const single = lease?.lifetimeMs === 0 ? { id: lease.ids[0]!, createdAt: lease.grantedAt } : null;
    if (lease && !single) blocks.push(new Block(lease, startedAt));
    // A call ahead has no waiter when the limit was lowered meanwhile.
    const waiter = claimed || single ? waiters.shift() : undefined;
    if (claimed) waiter?.resolve({ id: claimed.id, createdAt: claimed.createdAt, claimed, giveBack() {} });
    else if (single) waiter?.resolve({ ...single, claimed: null, giveBack() {} });
    const isUsed = single && waiter && (!claimed || claimed.id === single.id);
    if (single && !isUsed) ended.push({ leaseId: single.id, endedAt: single.createdAt, used: 0 });
  }

  function fail(caller: TakeRequest, thrown: unknown): void {
    // Without an answer no signal was accepted, and a claim can be sent again.
    const error = isTransient(thrown) ? unavailable(thrown) : thrown;
    const isOfToken = error instanceof AppError && error.code === 'unauthenticated';
    // No block outlives its endpoint.
    if (error instanceof AppError && error.code === 'not-found') blocks = [];
    const isRefused = (waiter: Waiter) => !isOfToken || waiter.tokenId === caller.tokenId;
    const refused = waiters.filter(isRefused);
    waiters = waiters.filter((waiter) => !isRefused(waiter));
    for (const waiter of refused) waiter.reject(error);
  }

  return {
    take(request) {
      const now = clock();
      demand += 1;
      const taken = use(now);
      if (taken) {
        callAhead(now, request);
        return taken;
      }
      if (now < refusedUntil) throw rateLimited(refusedUntil - now);
      return new Promise((resolve, reject) => {
        waiters.push({ ...request, resolve, reject });
        pump();
      });
    },
  };
}

function rateLimited(retryAfterMs: number): AppError {
  return new AppError(
    'rate-limited',
    'This signal endpoint has received as many signals as it accepts per second. Try again later.',
    { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / secondMs)) },
  );
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', `The signal was not accepted: ${coerceError(cause).message}`, {
    retryAfterSeconds: 1,
    cause,
  });
}
