import { can } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import { type Caller, ConcurrencyLimit, type MaybePromise } from '@yardarm/shared/waiting';

/**
 * Ten requests of the admin API at a time, as many as Terraform makes; a browser has six connections to a server. The
 * others wait here, where one takes some kB, and not for connections to Postgres, for which all callers would wait.
 */
const adminTurns = new ConcurrencyLimit(
  Number.POSITIVE_INFINITY,
  'Other requests of the same user took all of the time.',
  { maxOfActor: 10 },
);

/** Smaller bodies, as those of changes of one flag, take the services some milliseconds. 300 names have more. */
const minTurnBytes = 2_000;

/**
 * Requests with larger bodies, compressed ones and documents, which may take the services seconds: one at a time. Those
 * that wait are within the bound of all bodies (bytes-in-flight.ts). A document is not read before its turn, and a body
 * is not decompressed: 2,500 of 2 kB took 2 GB.
 */
const bodyTurns = new ConcurrencyLimit(
  Number.POSITIVE_INFINITY,
  'Other requests with large bodies took all of the time.',
  // A single import of a person may take longer.
  { restsFromMs: 1_000 },
);

/**
 * Runs a request of the admin API when fewer than ten others of the actor run, at once for administrators, whose
 * scripts move whole installations. Throws `unavailable` without a turn before the deadline.
 */
export function inAdminTurn<Result>(
  actor: Actor,
  deadline: number,
  answer: () => MaybePromise<Result>,
): MaybePromise<Result> {
  return isAdministrator(actor) ? answer() : adminTurns.run({ actor, deadline }, async () => await answer());
}

/** Whether a body of so many bytes is for `inBodyTurn`. */
export const needsTurn = (bytes: number) => bytes >= minTurnBytes;

/** The same for what has a large body, also of callers with a token of an SDK or none: one at a time, with rests. */
export function inBodyTurn<Result>(caller: Caller, handle: () => MaybePromise<Result>): MaybePromise<Result> {
  if (caller.actor && isAdministrator(caller.actor)) return handle();
  return bodyTurns.run(caller, async () => await handle());
}

const isAdministrator = (actor: Actor) => can(actor, 'ADMIN');
