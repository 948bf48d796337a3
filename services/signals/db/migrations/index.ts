import type { MigrationSet } from '@yardarm/shared/db';
import { signalsTables } from './0001-signals.ts';
import { actionSets } from './0005-action-sets.ts';

export const migrations: MigrationSet = {
  service: 'signals',
  migrations: {
    '0001-signals': signalsTables,
    '0005-action-sets': actionSets,
  },
};
