import path from 'node:path';
import type { Credentials, GeneratedToken } from './credentials.ts';
import { credentialsFile, generatedTokenNames, generatedTokens } from './credentials.ts';
import { type FirstAdmin, firstAdminFile } from './first-admin.ts';
import { metricsTargetsFile } from './metrics-targets.ts';
import type { Options } from './options.ts';

/** A shell expression for the SDK token: the token if it may be printed, else a command that reads it. */
function tokenForShell(options: Options, credentials: Credentials, file: string): string {
  if (options.INIT_CLIENT_API_TOKENS !== undefined) return '$YOUR_SDK_TOKEN';
  // With $(...) the line works without printing the token at every start.
  const wasPrinted = credentials.shown.includes('sdkToken');
  return wasPrinted ? `$(node -p "JSON.parse(fs.readFileSync('${file}')).sdkToken")` : (credentials.sdkToken ?? '');
}

/**
 * The row about the login, if there is one. A setting or the file has the password with which the first admin was made.
 * The admin may have changed it since, so a later start does not print it as the present one.
 */
function loginRow(options: Options, credentials: Credentials, firstAdmin: FirstAdmin | undefined): [string, string][] {
  const isLater = credentials.shown.includes('firstAdmin');
  if (firstAdmin !== undefined) {
    const { username, password } = firstAdmin;
    const text = isLater
      ? `${username}; ${firstAdminFile(options.dataDir)} has the first password, which is good until another was chosen`
      : `${username} with the password ${password} (has to be changed)`;
    return [['login', text]];
  }
  if (options.UNLEASH_DEFAULT_ADMIN_PASSWORD === undefined) return [];
  if (credentials.shown.length > 0)
    return [['login', 'as before; UNLEASH_DEFAULT_ADMIN_PASSWORD counts when the first admin is made']];
  const restriction = options.DATABASE_URL === undefined ? '' : ', unless the database had users already';
  return [['login', `with the password from UNLEASH_DEFAULT_ADMIN_PASSWORD${restriction}`]];
}

/**
 * The lines that `npm start` prints when everything is ready. Generated tokens and the generated password are printed
 * once, configured ones never. Only the last line has the word that scripts wait for.
 */
export function announcement(
  options: Options,
  credentials: Credentials,
  address: string,
  firstAdmin: FirstAdmin | undefined,
): string[] {
  const file = credentialsFile(options.dataDir);
  const tokenText = (name: GeneratedToken) => {
    const { setting } = generatedTokens[name];
    if (options[setting] !== undefined) return `from ${setting}`;
    return credentials.shown.includes(name) ? `in ${file}` : (credentials[name] ?? '');
  };
  const rows = [
    ['address', address],
    ...loginRow(options, credentials, firstAdmin),
    ...generatedTokenNames.map((name) => [generatedTokens[name].title, tokenText(name)]),
    ['try', `curl -H "Authorization: ${tokenForShell(options, credentials, file)}" ${address}/api/client/features`],
    ['credentials', file],
    ['logs', path.join(options.dataDir, 'logs')],
    ['metrics', `${metricsTargetsFile(options.dataDir)} has the addresses, for Prometheus' file_sd_configs`],
  ];
  return [
    '',
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(16)}${value}`),
    '',
    `Yardarm is ready on ${address}`,
  ];
}
