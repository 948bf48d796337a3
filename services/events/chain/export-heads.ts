import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../db/schema.ts';
import { findHead } from './chain.repo.ts';
import { tellHead } from './heads-file.ts';

/**
 * Tells the head of the log at once and every so many minutes, where whoever can rewrite the log cannot take it back: in this process'
 * log and, when one is named, in a file (heads-file.ts). A head that was told is not told again. Returns how to stop.
 */
export function startExportingHeads(options: {
  db: Database<EventsTables>;
  log: Logger;
  everyMinutes: number;
  file: string | undefined;
}): () => void {
  const { db, log, everyMinutes, file } = options;
  let toldId = 0;

  async function tell(): Promise<void> {
    const head = await findHead(db.kysely);
    // Without a hash a version that knows no chain has recorded last.
    if (head.id <= toldId || head.hash === '') return;
    log.info({ id: head.id, hash: head.hash }, 'head of the log');
    if (file !== undefined) await tellHead(file, head);
    toldId = head.id;
  }

  const telling = () => {
    tell().catch((error: unknown) =>
      log.error({ err: coerceError(error) }, 'the head of the log could not be exported'),
    );
  };
  const timer = setInterval(telling, everyMinutes * 60_000);
  timer.unref();
  telling();
  return () => clearInterval(timer);
}
