/**
 * A delivery: one event on its way to one integration.
 *
 *   pending --claim--> sending --2xx--------------------------> succeeded
 *                       ^  | \--last attempt failed, or 410----> gave-up
 *                       |  \---failed----> waiting
 *                       |                     | when due
 *                       \------claim----------/
 *   pending, waiting, sending --integration disabled, or begun anew--> cancelled
 *   waiting, succeeded, gave-up, cancelled --somebody asks for it--> waiting, or pending when it was never tried
 *
 * pending    Not tried yet. Due at once, but for order: see below.
 * sending    A process has claimed it, until `claimed_until`, and counted the attempt. No transaction is open while it sends. A process
 *            that dies leaves it so; once the claim has run out another claims it: at least once, never at most.
 * waiting    The last attempt failed, or only some of its targets were reached; due again at `next_attempt_at`, without those targets.
 * succeeded, gave-up, cancelled   Final, unless somebody asks for it to be sent again. That begins the schedule anew, under the same webhook-id.
 *
 * What is due is claimed only while the integration's circuit (circuit.ts) lets it.
 *
 * Whoever settles an attempt shows the claim it was begun under: a process that was thought dead changes no state, though its attempt and a
 * success are kept.
 *
 * Order: of two deliveries with one ordering key (the flag) to one integration the later is not claimed before the earlier has an
 * outcome, good or bad. One that waits to be retried holds up nobody.
 */
export type DeliveryState = 'pending' | 'sending' | 'waiting' | 'succeeded' | 'gave-up' | 'cancelled';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The waits after the first, second ... failed attempt: the schedule of Standard Webhooks, ten attempts over 75 h 35 min. It outlasts a weekend.
 */
export const retryWaitsMs: readonly number[] = [
  ...[5 * second, 5 * minute, 30 * minute],
  ...[2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
];

/** An endpoint may ask for more time than the schedule gives it, but not put a delivery off beyond the longest wait in it. */
const maxRetryAfterMs = 24 * hour;

/** Apart from each other, so that what failed together does not come back together. */
const jitter = 0.1;

/** What an attempt brought, as far as the next step depends on it. */
export interface AttemptEnd {
  /** The provider's word: all is sent, some or all is to be tried again, or the endpoint will never want anything again (410). */
  next: 'done' | 'retry' | 'disable';
  /** The Retry-After header as it came. */
  retryAfter: string | null;
}

export type NextStep =
  | { state: 'succeeded' }
  | { state: 'waiting'; nextAttemptInMs: number }
  | { state: 'gave-up'; isGone: boolean };

/**
 * Decides how a delivery goes on after attempt `number` of its schedule (1 is the first). Whatever failed is tried again unless the endpoint is gone, 4xx too:
 * they are often a deployment or a token that somebody repairs.
 * `random` is from 0 to 1, `nowMs` is when the answer came.
 */
export function afterAttempt(
  number: number,
  end: AttemptEnd,
  { random, nowMs }: { random: number; nowMs: number },
): NextStep {
  if (end.next === 'done') return { state: 'succeeded' };
  if (end.next === 'disable') return { state: 'gave-up', isGone: true };
  const wait = retryWaitsMs[number - 1];
  if (wait === undefined) return { state: 'gave-up', isGone: false };
  const asked = Math.min(retryAfterMs(end.retryAfter, nowMs), maxRetryAfterMs);
  return { state: 'waiting', nextAttemptInMs: Math.round(Math.max(wait, asked) * (1 + jitter * random)) };
}

/** How long a Retry-After header asks to wait, in milliseconds: it holds seconds or a date; 0 for what is neither. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header.trim())) return Number(header) * second;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
}
