import type { Bus } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import type { SignalsTables } from './db/schema.ts';

export interface SignalsResources {
  bus: Bus;
  db: Database<SignalsTables>;
  ratePerSecond: number;
  endpointLimit: number;
  tokenLimit: number;
}
