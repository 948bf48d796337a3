import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import type { SignalsTables } from '../db/schema.ts';
import { deleteFreeKeys } from './keys.repo.ts';

/** Free keys are never read: the sweep only keeps the table small. */
const intervalMs = 600_000;
/** A batch of this size takes milliseconds. */
const maxBatch = 1_000;

/** Deletes free keys at an interval, in every replica. */
export interface KeySweep {
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

export function startKeySweep(db: Database<SignalsTables>, log: Logger): KeySweep {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function sweep(): Promise<void> {
    while ((await deleteFreeKeys(db.kysely, maxBatch)) === maxBatch && !signal.aborted);
  }

  async function loop(): Promise<void> {
    for (;;) {
      await pause(intervalMs, signal);
      if (signal.aborted) return;
      await sweep().catch((error: unknown) =>
        log.warn({ err: coerceError(error) }, 'free idempotency keys stay until the next sweep'),
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
