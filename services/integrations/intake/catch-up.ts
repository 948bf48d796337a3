import { randomUUID } from 'node:crypto';
import type { Bus } from '@yardarm/shared/bus';
import { systemActor } from '@yardarm/shared/contracts';
import { readAfter } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { backoff, pause } from '@yardarm/shared/waiting';
import type { IntegrationsTables } from '../db/schema.ts';
import { handleMissed } from './handle-events.ts';
import { findMissed } from './missed-events.repo.ts';
import type { IdRange } from './missed-events.ts';

/** The events were missed minutes or days ago, and a replay is not urgent either. */
const pollMs = 1_000;

/** The interval grows while the log is unavailable, and stays short enough to notice its recovery soon. */
const retryMs = { firstMs: 1_000, maxMs: 5_000 };

/** One request reads at most fifty thousand ids of the log, which takes tens of milliseconds. */
const requestLimitMs = 10_000;

export interface IntakeOptions {
  db: Database<IntegrationsTables>;
  bus: Bus;
  log: Logger;
  schedule(integrationIds: readonly number[]): void;
}

/**
 * Fetches from the log the events that RECORDED did not contain: events that the stream dropped before intake read
 * them, and events that an operator replays. Runs in the replica with the intake lease, next to the reader. Two that
 * run at once cannot fetch a range twice: each shortens it only from its expected begin. Ends with the signal.
 *
 *   waiting    Nothing is missing, or the log did not answer. Looks again soon.
 *   fetching   Requests events of the log, then inserts their deliveries and shortens the range in one transaction.
 */
export async function catchUp(options: IntakeOptions, signal: AbortSignal): Promise<void> {
  const { db, log, schedule } = options;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const range = await findMissed(db.kysely);
      const receivers = range === undefined ? null : await fetchNext(options, range);
      failures = 0;
      if (receivers !== null) {
        schedule(receivers);
        continue;
      }
    } catch (error) {
      failures += 1;
      // Only the first failure is a warning.
      log[failures === 1 ? 'warn' : 'debug']({ err: coerceError(error) }, 'cannot fetch missed events; trying again');
    }
    await pause(failures === 0 ? pollMs : backoff(failures, retryMs), signal);
  }
}

/**
 * Fetches one answer of the log. Returns the integrations that have new deliveries. Returns null without progress: the
 * log does not reach the range yet, or another replica has fetched it.
 */
async function fetchNext({ db, bus, log }: IntakeOptions, range: IdRange): Promise<readonly number[] | null> {
  const context = {
    requestId: randomUUID(),
    actor: systemActor,
    deadline: Date.now() + requestLimitMs,
    traceparent: null,
  };
  const { events, through } = await bus.request(readAfter, { after: range.first - 1, upTo: range.last }, context);
  if (through < range.first) return null;
  const receivers = await handleMissed(db, range, { events, through });
  log.info({ from: range.first, through }, 'fetched missed events from the log');
  return receivers;
}
