import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { makeToken } from '@yardarm/shared/auth';
import { serviceNames } from '@yardarm/shared/contracts';
import { z } from 'zod';
import type { FirstAdmin } from './first-admin.ts';
import { natsUrlName, type Options } from './options.ts';
import { replaceFile } from './replace-file.ts';

export const databaseServices = ['flags', 'events', 'integrations', 'signals', 'accounts'] as const;

/** The tokens that are made, each with the setting that replaces it, its title and its prefix. */
export const generatedTokens = {
  adminToken: { setting: 'INIT_ADMIN_API_TOKENS', title: 'admin token', prefix: '*:*.' },
  sdkToken: { setting: 'INIT_CLIENT_API_TOKENS', title: 'SDK token', prefix: '*:development.' },
  frontendToken: { setting: 'INIT_FRONTEND_API_TOKENS', title: 'frontend token', prefix: '*:development.' },
} as const;

export type GeneratedToken = keyof typeof generatedTokens;
export const generatedTokenNames = Object.keys(generatedTokens) as GeneratedToken[];

const schema = z.object({
  adminToken: z.string().optional(),
  sdkToken: z.string().optional(),
  frontendToken: z.string().optional(),
  /** What `npm start` has printed. After a failed first start a token may be made and not yet printed. */
  shown: z.array(z.enum([...generatedTokenNames, 'firstAdmin'])).default([]),
  databasePasswords: z.record(z.enum(databaseServices), z.string()),
  /** The key of the integrations' secrets, which cannot be read without it. */
  integrationsEncryptionKey: z.string(),
  /** The key of the secrets of SDK tokens. Without it their lists show no secrets. */
  accountsEncryptionKey: z.string(),
  /** The YARDARM_PREFIX of the last start. Null in a new data folder, until the id of the system is known. */
  prefix: z.string().nullable(),
});

export type Credentials = z.infer<typeof schema>;

/** 32 bits of the id. Should two systems on one NATS have the same ones, the second is refused. */
const prefixCharacters = 8;

// 256 bits.
const secret = () => randomBytes(32).toString('hex');

/** The file in which `npm start` keeps what it has generated. */
export function credentialsFile(dataDir: string): string {
  return path.join(dataDir, 'credentials.json');
}

/** What `npm start` has generated for the installation of this data folder; nothing without one. */
export function readCredentials(dataDir: string): Partial<Credentials> {
  const file = credentialsFile(dataDir);
  if (!existsSync(file)) return {};
  const text = readFileSync(file, 'utf8');
  try {
    return schema.partial().parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file} is damaged; restore it, or remove the whole data folder to begin anew`, { cause });
  }
}

function writeCredentials(file: string, credentials: Credentials): void {
  replaceFile(file, `${JSON.stringify(credentials, null, 2)}\n`, 0o600);
}

/**
 * Reads the credentials of this data folder. Makes and stores the missing ones. INIT_... replaces a generated token.
 */
export function openCredentials(options: Options): Credentials {
  const file = credentialsFile(options.dataDir);
  const stored = readCredentials(options.dataDir);
  const passwords = databaseServices.map((name) => [name, stored.databasePasswords?.[name] ?? secret()] as const);
  const tokenOf = (name: GeneratedToken) => {
    const { setting, prefix } = generatedTokens[name];
    return stored[name] ?? (options[setting] === undefined ? makeToken(prefix).token : undefined);
  };
  const credentials: Credentials = {
    adminToken: tokenOf('adminToken'),
    sdkToken: tokenOf('sdkToken'),
    frontendToken: tokenOf('frontendToken'),
    shown: stored.shown ?? [],
    databasePasswords: Object.fromEntries(passwords) as Credentials['databasePasswords'],
    integrationsEncryptionKey: stored.integrationsEncryptionKey ?? randomBytes(32).toString('base64'),
    accountsEncryptionKey: stored.accountsEncryptionKey ?? randomBytes(32).toString('base64'),
    // A data folder of an earlier version has used no prefix.
    prefix: stored.prefix === undefined && existsSync(file) ? '' : (stored.prefix ?? null),
  };
  writeCredentials(file, credentials);
  return credentials;
}

/** The YARDARM_PREFIX that is configured, or else that of the last start. Null in a new data folder. */
export function knownPrefix(options: Options, credentials: Credentials): string | null {
  return options.passedOn.YARDARM_PREFIX || credentials.prefix;
}

/**
 * Chooses the YARDARM_PREFIX and stores it: the known one; else, on a NATS that others may use, one that no other
 * system has. The users that an operator has made for the services have permissions for the known prefix.
 */
export async function choosePrefix(
  options: Options,
  credentials: Credentials,
  findSystemId: () => Promise<string>,
): Promise<Credentials> {
  const isShared = options.NATS_URL !== undefined && serviceNames.every((name) => !options[natsUrlName(name)]);
  const derive = async () => (isShared ? `yardarm-${(await findSystemId()).slice(0, prefixCharacters)}` : '');
  const prefix = knownPrefix(options, credentials) ?? (await derive());
  const chosen = { ...credentials, prefix };
  writeCredentials(credentialsFile(options.dataDir), chosen);
  return chosen;
}

/**
 * Records that the tokens and the login of the first admin have been printed. Later starts print only where they are.
 */
export function recordShown(options: Options, credentials: Credentials, firstAdmin: FirstAdmin | undefined): void {
  const shown = new Set(credentials.shown);
  for (const name of generatedTokenNames) if (options[generatedTokens[name].setting] === undefined) shown.add(name);
  if (firstAdmin !== undefined || options.UNLEASH_DEFAULT_ADMIN_PASSWORD !== undefined) shown.add('firstAdmin');
  writeCredentials(credentialsFile(options.dataDir), { ...credentials, shown: [...shown] });
}
