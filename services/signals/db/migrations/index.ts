import type { MigrationSet } from '@yardarm/shared/db';
import { signalsTables } from './0001-signals.ts';

export const migrations: MigrationSet = {
  service: 'signals',
  migrations: { '0001-signals': signalsTables },
};
