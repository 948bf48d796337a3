import path from 'node:path';
import type { Credentials } from './credentials.ts';
import { databaseServices } from './credentials.ts';
import { firstAdminFile } from './first-admin.ts';
import { nodeOptions } from './node-options.ts';
import type { Options } from './options.ts';

/** All services, in the order of their health ports. Only the gateway is public. */
export const serviceNames = [...databaseServices, 'gateway'] as const;

export type ServiceName = (typeof serviceNames)[number];

export type Addresses = {
  databaseUrl: string;
  natsUrls: Record<ServiceName, string>;
  port: number;
  /** Without it the gateway has no console. */
  consoleDir?: string | undefined;
};

/**
 * The login URL of a service: the owner's address with the role and password of the service. Roles belong to the whole
 * Postgres server, so the name of the role has the name of the database: an installation in another database has other
 * roles.
 */
export function loginUrl(ownerUrl: string, service: string, password: string): string {
  const url = new URL(ownerUrl);
  const database = decodeURIComponent(url.pathname.slice(1)) || url.username;
  // Postgres cuts names at 63 bytes. The longest name of a service has 12.
  url.username = encodeURIComponent(`${database.slice(0, 40)}_${service}`);
  url.password = password;
  return url.href;
}

export function loginUrls(ownerUrl: string, credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    databaseServices.map((name) => [name, loginUrl(ownerUrl, name, credentials.databasePasswords[name])]),
  );
}

/** The login URLs by the variables that scripts/migrate.ts reads. */
export function loginVariables(ownerUrl: string, credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    Object.entries(loginUrls(ownerUrl, credentials)).map(([name, url]) => [`${name.toUpperCase()}_DATABASE_URL`, url]),
  );
}

function ownVariables(
  name: ServiceName,
  options: Options,
  credentials: Credentials,
  { port, consoleDir }: Addresses,
): Record<string, string | undefined> {
  switch (name) {
    case 'gateway':
      return {
        PORT: String(port),
        HOST: options.HOST,
        ALLOWED_HOSTS: options.ALLOWED_HOSTS,
        CONSOLE_DIR: consoleDir,
        YARDARM_DATA_DIR: path.join(options.dataDir, 'gateway'),
      };
    case 'accounts':
      return {
        // The tokens of an operator replace the generated ones.
        INIT_ADMIN_API_TOKENS: options.INIT_ADMIN_API_TOKENS ?? credentials.adminToken,
        INIT_CLIENT_API_TOKENS: options.INIT_CLIENT_API_TOKENS ?? credentials.sdkToken,
        INIT_FRONTEND_API_TOKENS: options.INIT_FRONTEND_API_TOKENS ?? credentials.frontendToken,
        ACCOUNTS_ENCRYPTION_KEY: options.ACCOUNTS_ENCRYPTION_KEY ?? credentials.accountsEncryptionKey,
        UNLEASH_DEFAULT_ADMIN_PASSWORD: options.UNLEASH_DEFAULT_ADMIN_PASSWORD,
        INITIAL_ADMIN_PASSWORD_FILE: firstAdminFile(options.dataDir),
      };
    case 'events':
      return { EVENTS_HEADS_DIR: options.passedOn.EVENTS_HEADS_DIR ?? path.join(options.dataDir, 'heads') };
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

/** The environment of a service's process without HEALTH_PORT, which the supervisor sets. */
export function serviceEnvironment(
  name: ServiceName,
  options: Options,
  credentials: Credentials,
  addresses: Addresses,
): Record<string, string> {
  const variables: Record<string, string | undefined> = {
    ...options.passedOn,
    NODE_OPTIONS: nodeOptions(options.passedOn.NODE_OPTIONS),
    NATS_URL: addresses.natsUrls[name],
    YARDARM_PREFIX: credentials.prefix ?? '',
    LOG_LEVEL: options.LOG_LEVEL,
    HEALTH_HOST: options.HEALTH_HOST,
    ...ownVariables(name, options, credentials, addresses),
  };
  if (name !== 'gateway')
    variables.DATABASE_URL = loginUrl(addresses.databaseUrl, name, credentials.databasePasswords[name]);
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
