import { isDeepStrictEqual } from 'node:util';
import { appendEvent, type Database, type EventOrigin } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import {
  type SettingContents,
  type SettingName,
  settingEventData,
  settingEventType,
  settingOrderingKey,
} from './setting.ts';
import { lockSetting, updateSetting } from './settings.repo.ts';

/**
 * Stores a setting, or returns it to its default with null. The lock of its row puts writers in an order: the last one
 * wins, and each has its event. `onStored` is called after the commit of a change.
 */
export async function storeSetting<Name extends SettingName>(
  db: Database<AccountsTables>,
  name: Name,
  content: SettingContents[Name] | null,
  origin: EventOrigin,
  onStored: () => void = () => undefined,
): Promise<void> {
  await db.transaction(async (trx) => {
    const before = await lockSetting(trx, name);
    if (isDeepStrictEqual(before, content)) return;
    await updateSetting(trx, name, content, origin.actor.id);
    appendEvent(trx, {
      type: settingEventType(before, content),
      data: settingEventData(name, content),
      preData: settingEventData(name, before),
      orderingKey: settingOrderingKey(name),
      ...origin,
    });
    trx.onCommit(onStored);
  });
}
