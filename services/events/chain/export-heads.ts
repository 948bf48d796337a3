import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { EventsTables } from '../db/schema.ts';
import { findHead } from './chain.repo.ts';
import { appendHead } from './heads-file.ts';

/**
 * Exports the head of the log at once and every so many minutes until the signal aborts, to where whoever can rewrite the log cannot take
 * it back: to this process' log and, when one is named, to a file (heads-file.ts). Exports each head once.
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
    // Without a hash a version that knows no chain has recorded last.
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
