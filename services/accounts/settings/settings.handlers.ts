import type { RequestContext } from '@yardarm/shared/bus';
import type {
  setCorsOrigins as setCorsContract,
  setMaintenanceMode as setMaintenanceContract,
} from '@yardarm/shared/contracts/accounts';
import { type SystemSettings, settingsChangedHint } from '@yardarm/shared/contracts/settings';
import { eventOrigin } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { AccountsResources } from '../resources.ts';
import { storeMaintenanceMode } from './maintenance.ts';
import { corsContent, toSystemSettings } from './setting.ts';
import { findSettings } from './settings.repo.ts';
import { storeSetting } from './store-setting.ts';

export async function getSettings({ db }: AccountsResources): Promise<SystemSettings> {
  return toSystemSettings(await findSettings(db.kysely));
}

export async function setCorsOrigins(
  { db, bus }: AccountsResources,
  { frontendApiOrigins }: z.output<typeof setCorsContract.input>,
  context: RequestContext,
): Promise<void> {
  const hint = () => bus.hint(settingsChangedHint, {});
  await storeSetting(db, 'cors', corsContent(frontendApiOrigins), eventOrigin(context), hint);
}

export async function setMaintenanceMode(
  { db, bus }: AccountsResources,
  { enabled }: z.output<typeof setMaintenanceContract.input>,
  context: RequestContext,
): Promise<void> {
  const hint = () => bus.hint(settingsChangedHint, {});
  await storeMaintenanceMode(db, enabled, eventOrigin(context), hint);
}
