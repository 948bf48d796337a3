import type { MigrationSet } from '@yardarm/shared/db';
import { integrationsTables } from './0001-integrations.ts';

export const migrations: MigrationSet = {
  service: 'integrations',
  migrations: { '0001-integrations': integrationsTables },
};
