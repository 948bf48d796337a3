import { z } from 'zod';
import { hint, request, serviceNames } from './contract.ts';

/** What an API can change for all services. Accounts stores it, and each process follows it. */
export const systemSettingsSchema = z.object({
  /** Null while nothing is stored: the default of the gateways counts. */
  frontendApiOrigins: z.array(z.string()).nullable(),
  maintenanceMode: z.boolean(),
});

export type SystemSettings = z.infer<typeof systemSettingsSchema>;

export const defaultSettings: SystemSettings = { frontendApiOrigins: null, maintenanceMode: false };

/** Each service asks for itself. The contract is no part of those of accounts, since no service has code for it. */
export const getSettings = request({
  name: 'accounts.setting.get',
  writes: false,
  summary: 'The stored settings, which each process follows',
  input: z.object({}),
  output: systemSettingsSchema,
  permission: 'internal',
  callers: serviceNames,
});

export const settingsChangedHint = hint({
  name: 'accounts.settings-changed',
  summary: 'A setting was stored; each process asks again',
  payload: z.object({}),
  listeners: serviceNames,
});
