import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { WakeUp } from '@yardarm/shared/waiting';
import type { ActionSetLimits } from './action-sets/action-set.ts';
import type { SignalsTables } from './db/schema.ts';

export interface SignalsResources {
  bus: Bus;
  db: Database<SignalsTables>;
  ratePerSecond: number;
  endpointLimit: number;
  tokenLimit: number;
  actionSetLimits: ActionSetLimits;
  /** Woken when a set has been enabled: the endpoint may have had none before. */
  setEnabled: WakeUp;
}
