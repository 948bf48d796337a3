import type { SystemSettings } from '@yardarm/shared/contracts/settings';

/** The settings by name, as they are stored and in events. A setting with its default has no content. */
export interface SettingContents {
  cors: { frontendApiOrigins: string[] };
  maintenance: { enabled: true };
}

export type SettingName = keyof SettingContents;
export type StoredSettings = { [Name in SettingName]?: SettingContents[Name] | null };

/** Null for every origin, the default. */
export function corsContent(origins: string[]): SettingContents['cors'] | null {
  return origins[0] === '*' ? null : { frontendApiOrigins: origins };
}

export function toSystemSettings({ cors, maintenance }: StoredSettings): SystemSettings {
  return { frontendApiOrigins: cors?.frontendApiOrigins ?? null, maintenanceMode: maintenance?.enabled ?? false };
}

export function settingEventType(before: unknown, after: unknown) {
  if (after === null) return 'setting-deleted';
  return before === null ? 'setting-created' : 'setting-updated';
}

export function settingEventData(id: SettingName, content: SettingContents[SettingName] | null) {
  return content === null ? null : { id, content };
}

export function settingOrderingKey(name: SettingName): string {
  return `setting:${name}`;
}
