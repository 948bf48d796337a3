import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeToken } from '@yardarm/shared/auth';
import { z } from 'zod';
import type { FirstAdmin } from './first-admin.ts';
import type { Options } from './options.ts';

/** The services that have tables, and so a database login of their own. */
export const databaseServices = ['flags', 'events', 'integrations', 'signals', 'accounts'] as const;

const schema = z.object({
  adminToken: z.string().optional(),
  sdkToken: z.string().optional(),
  /** What `npm start` has printed: a token that it made but never showed, as its first start failed, is new. */
  shown: z.array(z.enum(['adminToken', 'sdkToken', 'firstAdmin'])).default([]),
  databasePasswords: z.record(z.enum(databaseServices), z.string()),
  /** What the secrets of integrations are encrypted with: without it they are lost. */
  integrationsEncryptionKey: z.string(),
});

export type Credentials = z.infer<typeof schema>;

// 256 bits.
const secret = () => randomBytes(32).toString('hex');

/** Where the credentials are kept. */
export function credentialsFile(dataDir: string): string {
  return path.join(dataDir, 'credentials.json');
}

function readKept(file: string): Partial<Credentials> {
  if (!existsSync(file)) return {};
  try {
    return schema.partial().parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(`${file} is damaged; restore it, or remove the whole data folder to begin anew`, { cause });
  }
}

function keep(file: string, credentials: Credentials): void {
  // Beside and renamed: a crash while writing must not cost the only copy.
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * The credentials of this data folder: what is kept there, and what it lacks made and kept. Tokens are made only
 * where INIT_... gives none.
 */
export function openCredentials(options: Options): Credentials {
  const file = credentialsFile(options.dataDir);
  const kept = readKept(file);
  const passwords = databaseServices.map((name) => [name, kept.databasePasswords?.[name] ?? secret()] as const);
  const credentials: Credentials = {
    adminToken: kept.adminToken ?? (options.INIT_ADMIN_API_TOKENS === undefined ? makeToken('*:*.').token : undefined),
    sdkToken:
      kept.sdkToken ?? (options.INIT_CLIENT_API_TOKENS === undefined ? makeToken('*:development.').token : undefined),
    shown: kept.shown ?? [],
    databasePasswords: Object.fromEntries(passwords) as Credentials['databasePasswords'],
    integrationsEncryptionKey: kept.integrationsEncryptionKey ?? randomBytes(32).toString('base64'),
  };
  keep(file, credentials);
  return credentials;
}

/**
 * Notes that the tokens in use, and how the first admin logs in, have been printed: later starts only say where they are, and claim no
 * password.
 */
export function noteShown(options: Options, credentials: Credentials, firstAdmin: FirstAdmin | undefined): void {
  const shown = new Set(credentials.shown);
  if (options.INIT_ADMIN_API_TOKENS === undefined) shown.add('adminToken');
  if (options.INIT_CLIENT_API_TOKENS === undefined) shown.add('sdkToken');
  if (firstAdmin !== undefined || options.UNLEASH_DEFAULT_ADMIN_PASSWORD !== undefined) shown.add('firstAdmin');
  keep(credentialsFile(options.dataDir), { ...credentials, shown: [...shown] });
}
