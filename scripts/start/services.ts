import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { Credentials } from './credentials.ts';
import { databaseServices } from './credentials.ts';
import { firstAdminFile } from './first-admin.ts';
import type { Options } from './options.ts';

/** All services, in the order in which they are started; the gateway is the one that the outside sees. */
export const serviceNames = [...databaseServices, 'gateway'] as const;

export type ServiceName = (typeof serviceNames)[number];

export type Addresses = { databaseUrl: string; natsUrl: string; port: number };

/**
 * The login URL of one service: the owner's address with the service's own role and password. Roles belong to the whole Postgres
 * server, so the role is named after the database too: another installation in another database of the server has others.
 */
export function loginUrl(ownerUrl: string, service: string, password: string): string {
  const url = new URL(ownerUrl);
  const database = decodeURIComponent(url.pathname.slice(1)) || url.username;
  // Postgres cuts names at 63 bytes; the longest service's name is 12.
  url.username = encodeURIComponent(`${database.slice(0, 40)}_${service}`);
  url.password = password;
  return url.href;
}

/** The login URLs of all services that have one. */
export function loginUrls(ownerUrl: string, credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    databaseServices.map((name) => [name, loginUrl(ownerUrl, name, credentials.databasePasswords[name])]),
  );
}

/** The same by the names under which scripts/migrate.ts reads them. */
export function loginVariables(ownerUrl: string, credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    Object.entries(loginUrls(ownerUrl, credentials)).map(([name, url]) => [`${name.toUpperCase()}_DATABASE_URL`, url]),
  );
}

function ownVariables(
  name: ServiceName,
  options: Options,
  credentials: Credentials,
  port: number,
): Record<string, string | undefined> {
  switch (name) {
    case 'gateway':
      return { PORT: String(port), HOST: options.HOST, YARDARM_DATA_DIR: path.join(options.dataDir, 'gateway') };
    case 'accounts':
      return {
        // An operator who gives tokens wants those and no other.
        INIT_ADMIN_API_TOKENS: options.INIT_ADMIN_API_TOKENS ?? credentials.adminToken,
        INIT_CLIENT_API_TOKENS: options.INIT_CLIENT_API_TOKENS ?? credentials.sdkToken,
        UNLEASH_DEFAULT_ADMIN_PASSWORD: options.UNLEASH_DEFAULT_ADMIN_PASSWORD,
        INITIAL_ADMIN_PASSWORD_FILE: firstAdminFile(options.dataDir),
      };
    case 'integrations':
      return {
        ...options.proxies,
        INTEGRATIONS_ALLOWED_PRIVATE: options.INTEGRATIONS_ALLOWED_PRIVATE,
        INTEGRATIONS_ENCRYPTION_KEY: options.INTEGRATIONS_ENCRYPTION_KEY ?? credentials.integrationsEncryptionKey,
        INTEGRATIONS_ENCRYPTION_OTHER_KEYS: options.INTEGRATIONS_ENCRYPTION_OTHER_KEYS,
      };
    default:
      return {};
  }
}

/** What every service gives to Node, also in the image. */
const nodeEnvironment = parseEnv(readFileSync(path.join(import.meta.dirname, '../../deploy/node.env'), 'utf8'));

/** The whole environment of one service's process, but for HEALTH_PORT, which each of its starts draws anew. */
export function serviceEnvironment(
  name: ServiceName,
  options: Options,
  credentials: Credentials,
  { databaseUrl, natsUrl, port }: Addresses,
): Record<string, string> {
  const variables: Record<string, string | undefined> = {
    ...options.passedOn,
    NODE_OPTIONS: [nodeEnvironment.NODE_OPTIONS, options.passedOn.NODE_OPTIONS].filter(Boolean).join(' '),
    NATS_URL: natsUrl,
    LOG_LEVEL: options.LOG_LEVEL,
    HEALTH_HOST: '127.0.0.1',
    ...ownVariables(name, options, credentials, port),
  };
  if (name !== 'gateway') variables.DATABASE_URL = loginUrl(databaseUrl, name, credentials.databasePasswords[name]);
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
