import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { pause, WakeUp } from '@yardarm/shared/waiting';
import type { EventsTables } from '../db/schema.ts';
import { headFailures } from '../metrics.ts';
import { findHead } from './chain.repo.ts';
import type { Link } from './chain.ts';
import type { HeadComparison } from './compare-heads.ts';
import { appendHead } from './heads-file.ts';

/**
 * A rewrite of events after the newest head is not found. One line a minute makes few lines, and a thousand events are
 * recorded in a tenth of a second at most.
 */
const everyMs = 60_000;
const everyEvents = 1_000;

export interface HeadExporter {
  offer(head: Link): void;
  /** Exports until the signal aborts, then the last head. Never rejects. */
  run(): Promise<void>;
}

/**
 * Exports heads of the log, each once: to the process log every `logEveryMinutes`, to a file in `folder` every minute
 * and every 1,000 events, and to `comparison` every minute. All are outside the database. The heads come from the
 * recorder's memory, so that a change in the database before the next head is found too.
 *
 *   exporting  The newest head is on the disk, or is written when a minute has passed or enough events came.
 *   failing    The last write failed. The next attempt follows in a minute, with the newest head. Recording goes on.
 */
export function createHeadExporter(options: {
  db: Database<EventsTables>;
  log: Logger;
  signal: AbortSignal;
  logEveryMinutes: number;
  folder: string | undefined;
  comparison: HeadComparison;
}): HeadExporter {
  const { db, log, signal, logEveryMinutes, folder, comparison } = options;
  const wakeUp = new WakeUp();
  let newest: Link | null = null;
  let loggedId = 0;
  let nextLogAt = 0;
  let writtenId = 0;
  let rememberedId = 0;
  let nextRememberAt = 0;

  async function exportHead(): Promise<void> {
    if (newest === null) {
      const found = await findHead(db.kysely);
      // A head that was offered meanwhile is newer.
      newest ??= found;
    }
    // The hash is empty after a version without the chain recorded last.
    if (newest.hash === '') return;
    const head = newest;
    if (head.id > rememberedId && performance.now() >= nextRememberAt) {
      comparison.remember(head);
      rememberedId = head.id;
      nextRememberAt = performance.now() + everyMs;
    }
    if (head.id > loggedId && performance.now() >= nextLogAt) {
      log.info({ id: head.id, hash: head.hash }, 'head of the log');
      loggedId = head.id;
      nextLogAt = performance.now() + logEveryMinutes * 60_000;
    }
    if (folder === undefined || head.id <= writtenId) return;
    await appendHead(folder, head);
    writtenId = head.id;
  }

  /** Returns whether it succeeded. */
  async function tryToExport(): Promise<boolean> {
    try {
      await exportHead();
      return true;
    } catch (error) {
      headFailures.inc();
      log.warn({ err: coerceError(error), folder }, 'the head of the log was not exported; recording goes on');
      return false;
    }
  }

  return {
    offer(head) {
      newest = head;
      if (folder !== undefined && head.id >= writtenId + everyEvents) wakeUp.wake();
    },
    async run() {
      while (!signal.aborted) {
        const isExported = await tryToExport();
        await comparison.compareWhenDue();
        await (isExported ? wakeUp.wait(everyMs, signal) : pause(everyMs, signal));
      }
      if (newest !== null) await tryToExport();
    },
  };
}
