import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { ConnectionLimits } from './connections.ts';
import type { FlagsTables } from './db/schema.ts';
import type { Groups } from './features/grouped-request.ts';
import type { Limits } from './places/limits/limits.ts';

export interface FlagsResources extends ConnectionLimits {
  bus: Bus;
  db: Database<FlagsTables>;
  /** The creations, patches and switches that share transactions. */
  groups: Groups;
  limits: Limits;
  log: Logger;
  /** How long counts of evaluations are kept. */
  usageRetentionDays: number;
}
