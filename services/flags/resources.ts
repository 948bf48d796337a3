import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { ConcurrencyLimit } from '@yardarm/shared/waiting';
import type { FlagsTables } from './db/schema.ts';
import type { Groups } from './features/grouped-request.ts';
import type { Limits } from './places/limits/limits.ts';

export interface FlagsResources {
  bus: Bus;
  /** The changes that may run at the same time (`recordChange`). */
  changes: ConcurrencyLimit;
  db: Database<FlagsTables>;
  /** The creations, patches and switches that share transactions. */
  groups: Groups;
  limits: Limits;
  log: Logger;
  /** How long counts of evaluations are kept. */
  usageRetentionDays: number;
}
