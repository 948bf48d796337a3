import { type Database, type Leader, startPeriodicJob } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { AccountsTables } from './db/schema.ts';
import { deleteOldOrphanedTokens } from './orphaned-tokens/orphaned-tokens.repo.ts';
import { deleteExpiredResets } from './password-resets/password-resets.repo.ts';
import { deleteExpiredCounts } from './rate-limits/rate-limits.repo.ts';
import { deleteAllSecrets, deleteExpiredSecrets } from './readable-secrets/readable-secrets.repo.ts';
import type { ReadableSecrets } from './readable-secrets/readable-secrets.ts';
import { deleteExpiredSessions } from './sessions/sessions.repo.ts';

/** Expired rows are not used: the sweep only keeps tables small. Ten minutes of a login flood are megabytes. */
const everyMs = 600_000;
/** A batch of this size holds its locks only briefly. */
const maxSessionBatch = 1_000;

/** Deletes expired rows every ten minutes, in one replica at a time. */
export function startExpirySweep(db: Database<AccountsTables>, secrets: ReadableSecrets, log: Logger): Leader {
  return startPeriodicJob({ db, log, name: 'expiry', everyMs }, ({ signal }) => deleteExpiredRows(db, secrets, signal));
}

/** Two replicas may call it at the same time: each deletes different rows. */
export async function deleteExpiredRows(
  db: Database<AccountsTables>,
  { deletesStored }: ReadableSecrets,
  signal?: AbortSignal,
): Promise<void> {
  while ((await deleteExpiredSessions(db.kysely, maxSessionBatch)) === maxSessionBatch && !signal?.aborted);
  await deleteExpiredResets(db.kysely);
  await deleteExpiredCounts(db.kysely);
  await deleteOldOrphanedTokens(db.kysely);
  await deleteExpiredSecrets(db.kysely);
  // A replica with the setting before may have stored some since the start.
  if (deletesStored) await deleteAllSecrets(db.kysely);
}
