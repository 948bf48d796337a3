import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { ConcurrencyLimit } from '@yardarm/shared/waiting';
import type { FlagsTables } from './db/schema.ts';
import type { Patches } from './features/patch.ts';
import type { Limits } from './places/limits/limits.ts';

export interface FlagsResources {
  bus: Bus;
  /** The changes that may run at the same time (`recordChange`). */
  changes: ConcurrencyLimit;
  db: Database<FlagsTables>;
  limits: Limits;
  patches: Patches;
  /** How long counts of evaluations are kept. */
  usageRetentionDays: number;
}
