import { loadIntegrationsConfig } from '@yardarm/integrations/config';
import { acceptsLogin } from '@yardarm/shared/db';
import { keyringOf } from '@yardarm/shared/encryption';
import { redactPassword } from '../servers/postgres-address.ts';
import { findKeyIds, findRoles } from '../servers/postgres-contents.ts';
import type { Credentials } from './credentials.ts';
import { credentialsFile } from './credentials.ts';
import type { Options } from './options.ts';
import { type Addresses, loginUrls, serviceEnvironment, serviceNames } from './services.ts';

/**
 * Proves that the database belongs to this data folder before anything in it is changed: the logins that exist accept
 * our passwords, and our keys decrypt the integrations' secrets. An empty database passes. Throws an Error for the
 * operator. With YARDARM_TAKE_OVER_DATABASE the logins may refuse, and the migration gives them our passwords. A key
 * cannot be taken over.
 */
export async function proveDatabase(databaseUrl: string, options: Options, credentials: Credentials): Promise<void> {
  const refusing = await findRefusingLogins(databaseUrl, credentials);
  const hasKeys = await hasNeededKeys(databaseUrl, options, credentials);
  const takesOver = options.YARDARM_TAKE_OVER_DATABASE === '1';
  if (hasKeys && (refusing.length === 0 || takesOver)) return;
  const problems = [
    ...(refusing.length === 0 ? [] : [`its logins ${refusing.join(', ')} do not accept the passwords`]),
    ...(hasKeys ? [] : [`the secrets of its integrations are encrypted with another key than the one`]),
  ];
  const ways = [
    ...(takesOver || refusing.length === 0
      ? []
      : ['run it on the data folder that it was made with, or stop the other and set YARDARM_TAKE_OVER_DATABASE=1']),
    ...(hasKeys
      ? []
      : ['set INTEGRATIONS_ENCRYPTION_KEY to its key (integrationsEncryptionKey in its credentials.json)']),
  ];
  throw new Error(
    `the database ${redactPassword(databaseUrl)} belongs to another Yardarm: ${problems.join(', and ')} of ` +
      `${credentialsFile(options.dataDir)}; nothing was changed; ${ways.join(', and ')}`,
  );
}

/** The roles that exist and refuse our passwords. */
async function findRefusingLogins(databaseUrl: string, credentials: Credentials): Promise<string[]> {
  const urls = Object.values(loginUrls(databaseUrl, credentials));
  const roleOf = (url: string) => decodeURIComponent(new URL(url).username);
  const existing = await findRoles(databaseUrl, urls.map(roleOf));
  const refusing: string[] = [];
  for (const url of urls) if (existing.includes(roleOf(url)) && !(await acceptsLogin(url))) refusing.push(roleOf(url));
  return refusing;
}

/** Whether we have every key that a stored value of integrations is encrypted with. */
async function hasNeededKeys(databaseUrl: string, options: Options, credentials: Credentials): Promise<boolean> {
  const natsUrls = Object.fromEntries(serviceNames.map((name) => [name, 'nats://unused'])) as Addresses['natsUrls'];
  const environment = serviceEnvironment('integrations', options, credentials, { databaseUrl, natsUrls, port: 0 });
  const config = loadIntegrationsConfig(environment);
  const keys = keyringOf(config.INTEGRATIONS_ENCRYPTION_KEY, config.INTEGRATIONS_ENCRYPTION_OTHER_KEYS);
  return (await findKeyIds(databaseUrl)).every((id) => keys.has(id));
}
