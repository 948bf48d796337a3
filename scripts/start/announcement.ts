import path from 'node:path';
import type { Credentials } from './credentials.ts';
import { credentialsFile } from './credentials.ts';
import { type FirstAdmin, firstAdminFile } from './first-admin.ts';
import type { Options } from './options.ts';

/** The address under which the gateway is reached from this machine. */
export function publicAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** A shell expression for the SDK token: itself where it may be shown, else a way to read it. */
function tokenForShell(options: Options, credentials: Credentials, file: string): string {
  if (options.INIT_CLIENT_API_TOKENS !== undefined) return '$YOUR_SDK_TOKEN';
  // $(...) so that the line works as it stands without the token's being printed at every start.
  const isShown = credentials.shown.includes('sdkToken');
  return isShown ? `$(node -p "JSON.parse(fs.readFileSync('${file}')).sdkToken")` : (credentials.sdkToken ?? '');
}

/**
 * The row about logging in, when there is anything to say. What a setting or the file says of the password is what it was when the first
 * admin was made; nobody but its owner knows it after that, and no later start claims to.
 */
function loginRow(options: Options, credentials: Credentials, firstAdmin: FirstAdmin | undefined): [string, string][] {
  const isLater = credentials.shown.includes('firstAdmin');
  if (firstAdmin !== undefined) {
    const { username, password } = firstAdmin;
    const words = isLater
      ? `${username}; ${firstAdminFile(options.dataDir)} has the first password, which is good until another was chosen`
      : `${username} with the password ${password} (has to be changed)`;
    return [['login', words]];
  }
  if (options.UNLEASH_DEFAULT_ADMIN_PASSWORD === undefined) return [];
  if (credentials.shown.length > 0)
    return [['login', 'as before; UNLEASH_DEFAULT_ADMIN_PASSWORD counts when the first admin is made']];
  const isPerhapsOld = options.DATABASE_URL === undefined ? '' : ', unless the database had users already';
  return [['login', `with the password from UNLEASH_DEFAULT_ADMIN_PASSWORD${isPerhapsOld}`]];
}

/**
 * What `npm start` prints when everything can serve. Tokens and the password that were made here are shown once; given ones never. The last
 * line, and no other, has the word that scripts wait for.
 */
export function announcement(
  options: Options,
  credentials: Credentials,
  address: string,
  firstAdmin: FirstAdmin | undefined,
): string[] {
  const file = credentialsFile(options.dataDir);
  const words = (name: 'adminToken' | 'sdkToken', variable: 'INIT_ADMIN_API_TOKENS' | 'INIT_CLIENT_API_TOKENS') => {
    if (options[variable] !== undefined) return `from ${variable}`;
    return credentials.shown.includes(name) ? `in ${file}` : (credentials[name] ?? '');
  };
  const rows = [
    ['address', address],
    ...loginRow(options, credentials, firstAdmin),
    ['admin token', words('adminToken', 'INIT_ADMIN_API_TOKENS')],
    ['SDK token', words('sdkToken', 'INIT_CLIENT_API_TOKENS')],
    ['try', `curl -H "Authorization: ${tokenForShell(options, credentials, file)}" ${address}/api/client/features`],
    ['credentials', file],
    ['logs', path.join(options.dataDir, 'logs')],
  ];
  return [
    '',
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(13)}${value}`),
    '',
    `Yardarm is ready on ${address}`,
  ];
}
