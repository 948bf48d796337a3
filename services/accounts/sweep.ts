import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { type Sweep, startSweep } from '@yardarm/shared/waiting';
import type { AccountsTables } from './db/schema.ts';
import { deleteOldOrphanedTokens } from './orphaned-tokens/orphaned-tokens.repo.ts';
import { deleteExpiredResets } from './password-resets/password-resets.repo.ts';
import { deleteExpiredCounts } from './rate-limits/rate-limits.repo.ts';
import { deleteExpiredSessions } from './sessions/sessions.repo.ts';

/** Expired rows are not used: the sweep only keeps tables small. Ten minutes of a login flood are megabytes. */
const intervalMs = 600_000;
/** A batch of this size holds its locks only briefly. */
const maxSessionBatch = 1_000;

/** Deletes expired rows at an interval. Replicas may sweep at the same time: each deletes different rows. */
export function startExpirySweep(db: Database<AccountsTables>, log: Logger): Sweep {
  const onFailure = (error: unknown) => log.warn({ err: coerceError(error) }, 'expired rows stay until the next sweep');
  return startSweep({ intervalMs, onFailure }, async (signal) => {
    while ((await deleteExpiredSessions(db.kysely, maxSessionBatch)) === maxSessionBatch && !signal.aborted);
    await deleteExpiredResets(db.kysely);
    await deleteExpiredCounts(db.kysely);
    await deleteOldOrphanedTokens(db.kysely);
  });
}
