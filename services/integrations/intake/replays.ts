import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { backoff, pause } from '@yardarm/shared/waiting';
import type { IntegrationsTables } from '../db/schema.ts';
import { handleAgain } from './handle-page.ts';
import { fetchPage } from './log-page.ts';
import { findMissed, type IdRange } from './replays.repo.ts';

/** An operator who replays events waits for minutes, not for seconds. */
const pollMs = 1_000;

/** The interval grows while the log is unavailable, and stays short enough to notice its recovery soon. */
const retryMs = { firstMs: 1_000, maxMs: 5_000 };

export interface IntakeOptions {
  db: Database<IntegrationsTables>;
  bus: Bus;
  log: Logger;
  schedule(integrationIds: readonly number[]): void;
}

/**
 * Handles again the ranges of the log that an operator replays, and those that intake of the release before missed on
 * RECORDED. Runs in the replica with the intake lease, next to the reader. Two that run at once cannot handle a range
 * twice: each shortens it only from its expected begin. Ends with the signal.
 *
 *   waiting    There is no range, or the log did not answer. Looks again soon.
 *   fetching   Requests events of the log, then inserts their deliveries and shortens the range in one transaction.
 */
export async function replay(options: IntakeOptions, signal: AbortSignal): Promise<void> {
  const { db, log, schedule } = options;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const range = await findMissed(db.kysely);
      const receivers = range === undefined ? null : await handleNext(options, range);
      failures = 0;
      if (receivers !== null) {
        schedule(receivers);
        continue;
      }
    } catch (error) {
      failures += 1;
      // Only the first failure is a warning.
      log[failures === 1 ? 'warn' : 'debug']({ err: coerceError(error) }, 'cannot replay events; trying again');
    }
    await pause(failures === 0 ? pollMs : backoff(failures, retryMs), signal);
  }
}

/**
 * Handles one answer of the log. Returns the integrations that have new deliveries. Returns null without progress: the
 * log does not reach the range yet, or another replica has handled it.
 */
async function handleNext({ db, bus, log }: IntakeOptions, range: IdRange): Promise<readonly number[] | null> {
  const page = await fetchPage(bus, { after: range.first - 1, upTo: range.last });
  if (page.through < range.first) return null;
  const receivers = await handleAgain(db, range, page);
  log.info({ from: range.first, through: page.through }, 'replayed events of the log');
  return receivers;
}
