import type { MigrationSet } from '@yardarm/shared/db';
import { integrationsTables } from './0001-integrations.ts';
import { deliveriesThatRecover } from './0002-deliveries-that-recover.ts';
import { nothingLeftBehind } from './0003-nothing-left-behind.ts';

export const migrations: MigrationSet = {
  service: 'integrations',
  migrations: {
    '0001-integrations': integrationsTables,
    '0002-deliveries-that-recover': deliveriesThatRecover,
    '0003-nothing-left-behind': nothingLeftBehind,
  },
};
