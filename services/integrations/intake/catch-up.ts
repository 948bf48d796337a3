import { randomUUID } from 'node:crypto';
import type { Bus } from '@yardarm/shared/bus';
import { systemActor } from '@yardarm/shared/contracts';
import { type Event, readAfter } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { backoff, pause } from '@yardarm/shared/waiting';
import type { IntegrationsTables } from '../db/schema.ts';
import { findMissed } from './missed-events.repo.ts';
import type { IdRange } from './missed-events.ts';
import { takeMissed } from './take-events.ts';

/** Nothing waits for it but what was missed for minutes or days already; an operator who asked for it looks for as long. */
const pollMs = 1_000;

/** A log that is away is asked at longer and longer intervals, and found again soon after it is back. */
const retryMs = { firstMs: 1_000, maxMs: 5_000 };

/** One look of the log goes over fifty thousand ids at most, which takes it some tens of milliseconds. */
const requestLimitMs = 10_000;

export interface IntakeOptions {
  db: Database<IntegrationsTables>;
  bus: Bus;
  log: Logger;
  /** Called with the integrations that have new deliveries. */
  schedule(integrationIds: readonly number[]): void;
}

/**
 * Fetches from the log what RECORDED did not bring: what it dropped before it was taken, and what an operator asked for. Runs beside the
 * reader, in the replica that holds its lease; two that run at once are kept apart by the range, which each shortens from where it expects
 * it to begin or not at all. Ends with the signal.
 *
 *   waiting    nothing is missed, or the log did not answer: looks again soon.
 *   fetching   a look at the log, then its events' deliveries and the shorter range in one transaction.
 */
export async function catchUp(parts: IntakeOptions, signal: AbortSignal): Promise<void> {
  const { db, log, schedule } = parts;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const range = await findMissed(db.kysely);
      const receivers = range === undefined ? null : await fetchNext(parts, range);
      if (receivers !== null) {
        schedule(receivers);
        failures = 0;
        continue;
      }
    } catch (error) {
      failures += 1;
      // A warning once and not at every look.
      log[failures === 1 ? 'warn' : 'debug'](
        { err: coerceError(error) },
        'missed events cannot be fetched; trying again',
      );
    }
    await pause(failures === 0 ? pollMs : backoff(failures, retryMs), signal);
  }
}

/** One look at the log; returns the integrations that have new deliveries, or null when it led no further: the log does not reach there (yet), or somebody else has fetched meanwhile. */
async function fetchNext({ db, bus, log }: IntakeOptions, range: IdRange): Promise<readonly number[] | null> {
  const context = {
    requestId: randomUUID(),
    actor: systemActor,
    deadline: Date.now() + requestLimitMs,
    traceparent: null,
  };
  const events: Event[] = [];
  let through = 0;
  for await (const piece of bus.requestMany(readAfter, { after: range.first - 1, upTo: range.last }, context)) {
    events.push(...piece.events);
    ({ through } = piece);
  }
  if (through < range.first) return null;
  const receivers = await takeMissed(db, range, { events, through });
  log.info({ from: range.first, through }, 'events that RECORDED did not bring were fetched from the log');
  return receivers;
}
