import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, httpAddress, integer, loadConfig, secret } from '@yardarm/shared/config';
import { z } from 'zod';
import { dataFolder } from '../start/database-logins.ts';
import { CommandError } from './errors.ts';

export const settings = {
  YARDARM_URL: httpAddress.optional().describe('The running system; on PORT of this machine when not given'),
  PORT: integer(1, 65_535).default(4242).describe('The PORT that npm start was given'),
  YARDARM_ADMIN_TOKEN: secret(
    z.string().optional().describe('An admin token; from the credentials of npm start when not given'),
  ),
};

/** Calls the admin API of a running system. Throws CommandError for any answer but success. */
export interface Api {
  url: string;
  /** The parsed body of the answer. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The answer while it is being received. */
  open(path: string, options: { headers?: Record<string, string>; signal?: AbortSignal }): Promise<Response>;
}

/** Throws ConfigError without an admin token. */
export function openApi(environment: NodeJS.ProcessEnv = process.env): Api {
  const { YARDARM_URL, PORT, YARDARM_ADMIN_TOKEN } = loadConfig(settings, environment);
  const url = YARDARM_URL ?? `http://127.0.0.1:${PORT}`;
  const authorization = YARDARM_ADMIN_TOKEN ?? storedToken(dataFolder(environment));
  const send = async (place: string, options: RequestInit): Promise<Response> => {
    const response = await fetch(url + place, options).catch((cause: Error) => {
      if (options.signal?.aborted) throw cause;
      throw new CommandError(`${url} does not answer: is YARDARM_URL right, and does the gateway run?`, { cause });
    });
    if (response.ok) return response;
    throw new CommandError(`${url}${place} answered ${response.status}: ${problemIn(await response.text())}`);
  };
  return {
    url,
    async call<T>(method: string, place: string, body?: unknown) {
      const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
      const response = await send(place, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
      return (await response.json()) as T;
    },
    open: (place, { headers, signal }) =>
      send(place, { headers: { authorization, ...headers }, ...(signal && { signal }) }),
  };
}

function storedToken(dataDir: string): string {
  const file = path.join(dataDir, 'credentials.json');
  if (existsSync(file)) {
    const { adminToken } = JSON.parse(readFileSync(file, 'utf8')) as { adminToken?: string };
    if (adminToken !== undefined) return adminToken;
  }
  throw new ConfigError(`YARDARM_ADMIN_TOKEN: is required, because ${file} has no admin token of npm start`);
}

/** The sentence of an error body; another body as it is. */
function problemIn(text: string): string {
  try {
    const { details, message } = JSON.parse(text) as { details?: { message?: string }[]; message?: string };
    return details?.[0]?.message ?? message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}
