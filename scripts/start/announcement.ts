import path from 'node:path';
import type { Credentials } from './credentials.ts';
import { credentialsFile } from './credentials.ts';
import type { Options } from './options.ts';

/** The address under which the gateway is reached from this machine. */
export function publicAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

function tokenWords(
  given: string | undefined,
  variable: string,
  token: string | undefined,
  isFresh: boolean,
  file: string,
) {
  if (given !== undefined) return `from ${variable}`;
  return isFresh ? (token ?? '') : `in ${file}`;
}

/** A shell expression for the SDK token: itself where it may be shown, else a way to read it. */
function tokenForShell(options: Options, token: string | undefined, isFresh: boolean, file: string): string {
  if (options.INIT_CLIENT_API_TOKENS !== undefined) return '$YOUR_SDK_TOKEN';
  // $(...) so that the line works as it stands without the token's being printed at every start.
  return isFresh ? (token ?? '') : `$(node -p "JSON.parse(fs.readFileSync('${file}')).sdkToken")`;
}

/**
 * What `npm start` prints when everything can serve. Tokens that it made are shown at the start that made them;
 * given ones never. The last line, and no other, has the word that scripts wait for.
 */
export function announcement(
  options: Options,
  credentials: Credentials,
  fresh: { admin: boolean; sdk: boolean },
  address: string,
): string[] {
  const file = credentialsFile(options.dataDir);
  const { INIT_ADMIN_API_TOKENS: givenAdmin, INIT_CLIENT_API_TOKENS: givenSdk } = options;
  const sdk = tokenForShell(options, credentials.sdkToken, fresh.sdk, file);
  const rows = [
    ['address', address],
    ['admin token', tokenWords(givenAdmin, 'INIT_ADMIN_API_TOKENS', credentials.adminToken, fresh.admin, file)],
    ['SDK token', tokenWords(givenSdk, 'INIT_CLIENT_API_TOKENS', credentials.sdkToken, fresh.sdk, file)],
    ['try', `curl -H "Authorization: ${sdk}" ${address}/api/client/features`],
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
