import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Options } from './options.ts';

/** The services that have tables, and so a database login of their own. */
export const databaseServices = ['flags', 'events', 'integrations', 'signals', 'accounts'] as const;

const schema = z.object({
  adminToken: z.string().optional(),
  sdkToken: z.string().optional(),
  databasePasswords: z.record(z.enum(databaseServices), z.string()),
});

export type Credentials = z.infer<typeof schema>;

// 256 bits, written in letters and digits alone: the token's own separators are `:` and `.`.
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

/**
 * The credentials of this data folder: what is kept there, and what it lacks made and kept. Tokens are made only
 * where INIT_... gives none. `fresh` says which tokens this call made.
 */
export function openCredentials(options: Options): {
  credentials: Credentials;
  fresh: { admin: boolean; sdk: boolean };
} {
  const file = credentialsFile(options.dataDir);
  const kept = readKept(file);
  const makesAdmin = options.INIT_ADMIN_API_TOKENS === undefined && kept.adminToken === undefined;
  const makesSdk = options.INIT_CLIENT_API_TOKENS === undefined && kept.sdkToken === undefined;
  const passwords = databaseServices.map((name) => [name, kept.databasePasswords?.[name] ?? secret()] as const);
  const credentials: Credentials = {
    adminToken: makesAdmin ? `*:*.${secret()}` : kept.adminToken,
    sdkToken: makesSdk ? `*:development.${secret()}` : kept.sdkToken,
    databasePasswords: Object.fromEntries(passwords) as Credentials['databasePasswords'],
  };
  // Beside and renamed: a crash while writing must not cost the only copy.
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return { credentials, fresh: { admin: makesAdmin, sdk: makesSdk } };
}
