import type { MigrationSet } from '@yardarm/shared/db';
import { accountsTables } from './0001-accounts.ts';

export const migrations: MigrationSet = {
  service: 'accounts',
  migrations: { '0001-accounts': accountsTables },
};
