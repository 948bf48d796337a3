import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { EventsTables } from '../db/schema.ts';
import { changedHeads } from '../metrics.ts';
import type { Link } from './chain.ts';
import { checkHeads } from './verify-log.ts';

/** A day, at one head a minute (export-heads.ts). They take some 150 kB. */
const maxHeads = 1_440;
/** A comparison looks up its heads by their ids, in one statement. */
const everyMs = 600_000;

/**
 * Compares the log with the heads that this process recorded, so that a rewrite is noticed while it runs. A process has
 * one comparison for all its leaderships: who rewrites the log can also end the lease. The heads are in its memory,
 * which an administrator of the database cannot change. `npm run verify-log` compares the log with the heads of all
 * times.
 *
 *   equal     No comparison has contradicted a head. The gauge is 0. A failed comparison is repeated in its turn.
 *   changed   One did. The gauge stays 1 until the process ends, and the log has the first one.
 */
export interface HeadComparison {
  remember(head: Link): void;
  compare(): Promise<void>;
  /** Compares if the last comparison was long enough ago. */
  compareWhenDue(): Promise<void>;
}

export function createHeadComparison({ db, log }: { db: Database<EventsTables>; log: Logger }): HeadComparison {
  const heads: Link[] = [];
  let comparedAt = performance.now();
  let isChanged = false;

  async function compare(): Promise<void> {
    comparedAt = performance.now();
    try {
      const { broken } = await checkHeads(db, heads);
      if (broken === null || isChanged) return;
      isChanged = true;
      changedHeads.set(1);
      log.error({ ...broken }, 'the log was changed: it contradicts a head that was recorded');
    } catch (error) {
      log.debug({ err: coerceError(error) }, 'the heads could not be compared with the log');
    }
  }

  return {
    remember(head) {
      heads.push(head);
      if (heads.length > maxHeads) heads.shift();
    },
    compare,
    async compareWhenDue() {
      if (performance.now() >= comparedAt + everyMs) await compare();
    },
  };
}
