import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { AccountsTables } from './db/schema.ts';
import { deleteExpiredResets } from './password-resets/password-resets.repo.ts';
import { deleteExpiredCounts } from './rate-limits/rate-limits.repo.ts';
import { deleteExpiredSessions } from './sessions/sessions.repo.ts';

/** Nothing that has run out is believed, so this keeps tables small and nothing else: ten minutes of a flood of logins are megabytes. */
const everyMs = 600_000;
/** Short enough to lock nothing for long. */
const sessionsAtOnce = 1_000;

/** What deletes expired rows, now and then; of replicas that do it at once each takes rows of its own. */
export interface Sweep {
  /** Sweeps now. */
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts sweeping sessions, one-time tokens and counted attempts. */
export function startSweep(db: Database<AccountsTables>, log: Logger): Sweep {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function sweep(): Promise<void> {
    while ((await deleteExpiredSessions(db.kysely, sessionsAtOnce)) === sessionsAtOnce && !signal.aborted);
    await deleteExpiredResets(db.kysely);
    await deleteExpiredCounts(db.kysely);
  }

  async function loop(): Promise<void> {
    for (;;) {
      await pause(everyMs, signal);
      if (signal.aborted) return;
      await sweep().catch((error: unknown) =>
        log.warn({ err: coerceError(error) }, 'expired rows stay until the next sweep'),
      );
    }
  }

  const running = loop();
  return {
    processAll: sweep,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
