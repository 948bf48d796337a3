import { commonSettings, loadConfig } from '@yardarm/shared/config';
import { z } from 'zod';

function postgresUrl(description: string) {
  return z
    .string()
    .refine(
      (text) => URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol),
      'should be postgres://user:password@host:port/database',
    )
    .describe(description);
}

function loginSetting(service: string) {
  return postgresUrl(`What ${service} connects with: its user and password become the login that sees its schema only`);
}

export const settings = {
  DATABASE_URL: postgresUrl('The owner: a superuser, or a role with CREATEROLE and with CREATE on the database'),
  ACCOUNTS_DATABASE_URL: loginSetting('accounts'),
  FLAGS_DATABASE_URL: loginSetting('flags'),
  EVENTS_DATABASE_URL: loginSetting('events'),
  INTEGRATIONS_DATABASE_URL: loginSetting('integrations'),
  SIGNALS_DATABASE_URL: loginSetting('signals'),
  YARDARM_TAKE_OVER_DATABASE: z
    .enum(['0', '1'], 'should be 1, or 0 for no')
    .default('0')
    .describe('1 gives logins that exist the passwords of the login URLs; without it, other passwords are refused'),
  LOG_LEVEL: commonSettings.LOG_LEVEL,
};

export type MigrateOptions = ReturnType<typeof readOptions>;

export function readOptions(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
