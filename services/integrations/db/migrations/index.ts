import type { MigrationSet } from '@yardarm/shared/db';
import { afterRestore } from '../after-restore.ts';
import { integrationsTables } from './0001-integrations.ts';
import { deliveriesThatRecover } from './0002-deliveries-that-recover.ts';
import { nothingLeftBehind } from './0003-nothing-left-behind.ts';
import { oneRowPerDelivery } from './0004-one-row-per-delivery.ts';
import { eventsOfPeople } from './0005-events-of-people.ts';
import { restores } from './0006-restores.ts';
import { createdAt } from './0007-created-at.ts';

export const migrations: MigrationSet = {
  service: 'integrations',
  migrations: {
    '0001-integrations': integrationsTables,
    '0002-deliveries-that-recover': deliveriesThatRecover,
    '0003-nothing-left-behind': nothingLeftBehind,
    '0004-one-row-per-delivery': oneRowPerDelivery,
    '0005-events-of-people': eventsOfPeople,
    '0006-restores': restores,
    '0007-created-at': createdAt,
  },
  afterRestore,
};
