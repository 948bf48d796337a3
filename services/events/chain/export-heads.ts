import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { EventsTables } from '../db/schema.ts';
import { findHead } from './chain.repo.ts';
import { appendHead } from './heads-file.ts';

/**
 * Exports the head of the log at once and then every `everyMinutes` until the signal aborts. It writes each head once
 * to the process log and, if one is set, to a file (heads-file.ts). Both are outside the database, so an attacker who
 * rewrites the log cannot change them.
 */
export async function exportHeads(options: {
  db: Database<EventsTables>;
  log: Logger;
  signal: AbortSignal;
  everyMinutes: number;
  file: string | undefined;
}): Promise<void> {
  const { db, log, signal, everyMinutes, file } = options;
  let exportedId = 0;

  async function exportHead(): Promise<void> {
    const head = await findHead(db.kysely);
    // The hash is empty after a version without the chain recorded last.
    if (head.id <= exportedId || head.hash === '') return;
    log.info({ id: head.id, hash: head.hash }, 'head of the log');
    if (file !== undefined) await appendHead(file, head);
    exportedId = head.id;
  }

  while (!signal.aborted) {
    await exportHead().catch((error: unknown) =>
      log.error({ err: coerceError(error) }, 'the head of the log could not be exported'),
    );
    await pause(everyMinutes * 60_000, signal);
  }
}
