import { retryAfterMs } from '../retry-after.ts';

/**
 * The states of a delivery, which is one event to be sent to one integration:
 *
 *   pending --claim--> sending --sent-------------------------> succeeded
 *                       ^  | \--last attempt failed, or 410----> gave-up
 *                       |  \---failed----> waiting
 *                       |                     | when due
 *                       \------claim----------/
 *   sending --cut off by a stop--> pending, or waiting with an outcome
 *   pending, waiting --integration disabled--> cancelled
 *   sending --failed, or cut off, and the integration is disabled--> cancelled
 *   pending, waiting, sending --integration enabled again--> cancelled
 *   event of people, and the integration may not be sent it: pending, waiting --> cancelled, as soon as this is so;
 *     sending --failed, or cut off--> cancelled
 *   waiting, succeeded, gave-up, cancelled --redelivery--> waiting, or pending without an outcome
 *
 * pending    No attempt has an outcome. Due at once, in the order below.
 * sending    A process owns the claim until `claimed_until` and has counted the attempt. No transaction is open while
 *            it sends. If the process dies, another one claims the delivery after the claim expires: at least once.
 *            Disabling the integration lets the attempt finish.
 * waiting    An attempt has an outcome. Due at `next_attempt_at`: after a failure for the targets that lack it, after
 *            the redelivery of a success for all.
 * succeeded, gave-up, cancelled
 *            Final, except for redelivery, which restarts the schedule under the same webhook-id.
 *
 * An integration may not be sent events of people after an actor without READ_LOGS has changed its parameters. Such
 * deliveries end with the reason as their outcome. A claim checks again, since intake does not wait for the change.
 *
 * A due delivery is claimed only if the integration's circuit (circuit.ts) allows it. The deliveries of a deleted
 * integration keep their states until the retention deletes them.
 *
 * A settlement names the claim of its attempt. An attempt whose claim was lost is kept, and so is its success or first
 * outcome. It changes no state, except that a delivery that is pending meanwhile becomes waiting with its first
 * outcome.
 *
 * Order: of two deliveries to one integration with the same ordering key (the flag), the later one is not claimed
 * before the earlier one has an outcome, good or bad, or is cancelled. A delivery that waits for a retry blocks no
 * other.
 */
export type DeliveryState = 'pending' | 'sending' | 'waiting' | 'succeeded' | 'gave-up' | 'cancelled';

/** The outcome of a cancelled event of people. */
export const mayNotBeSent =
  'Cancelled: this is an event of people, and the parameters were changed without the permission READ_LOGS.';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The delays after the first, second ... failed attempt: the schedule of Standard Webhooks, ten attempts over 75 h 35
 * min. It outlasts a weekend.
 */
export const retryWaitsMs: readonly number[] = [
  ...[5 * second, 5 * minute, 30 * minute],
  ...[2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
];

/** Retry-After may ask for more time than the schedule, up to its longest delay. */
const maxRetryAfterMs = 24 * hour;

/** Spreads the retries of deliveries that failed together. */
const jitter = 0.1;

export interface AttemptEnd {
  /** The provider's decision: all is sent, some or all is retried, or the endpoint is gone for good (410). */
  next: 'done' | 'retry' | 'disable';
  retryAfter: string | null;
}

export type NextStep =
  | { state: 'succeeded' }
  | { state: 'waiting'; nextAttemptInMs: number }
  | { state: 'gave-up'; isGone: boolean };

/**
 * Decides the next step after attempt `number` of the schedule, from 1. Every failure is retried unless the endpoint is
 * gone. This includes 4xx: the cause is often a deployment or a token that somebody repairs. `random` is from 0 to 1;
 * `nowMs` is the time of the answer.
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
