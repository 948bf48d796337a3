import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { ActionSetLimits } from './action-sets/action-set.ts';
import type { SignalsTables } from './db/schema.ts';

export interface SignalsResources {
  bus: Bus;
  db: Database<SignalsTables>;
  ratePerSecond: number;
  endpointLimit: number;
  tokenLimit: number;
  actionSetLimits: ActionSetLimits;
}
