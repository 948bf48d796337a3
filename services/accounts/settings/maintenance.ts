import type { Database, EventOrigin } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { toSystemSettings } from './setting.ts';
import { findSettings } from './settings.repo.ts';
import { storeSetting } from './store-setting.ts';

/** Begins or ends maintenance mode. Does nothing when that is done. */
export async function storeMaintenanceMode(
  db: Database<AccountsTables>,
  enabled: boolean,
  origin: EventOrigin,
  onStored?: () => void,
): Promise<void> {
  await storeSetting(db, 'maintenance', enabled ? { enabled } : null, origin, onStored);
}

export async function isInMaintenance(db: Database<AccountsTables>): Promise<boolean> {
  return toSystemSettings(await findSettings(db.kysely)).maintenanceMode;
}
