import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, httpAddress, integer, loadConfig, secret } from '@yardarm/shared/config';
import { z } from 'zod';
import { dataFolder } from '../start/database-logins.ts';

const settings = {
  YARDARM_URL: httpAddress.optional().describe('The running system; on PORT of this machine when not given'),
  PORT: integer(1, 65_535).default(4242).describe('The PORT that npm start was given'),
  YARDARM_ADMIN_TOKEN: secret(
    z.string().optional().describe('An admin token; from the credentials of npm start when not given'),
  ),
};

export interface ApiOptions {
  url: string;
  adminToken: string;
}

/** The system that the commands ask. Throws ConfigError without an admin token. */
export function readApiOptions(environment: NodeJS.ProcessEnv = process.env): ApiOptions {
  const { YARDARM_URL, PORT, YARDARM_ADMIN_TOKEN } = loadConfig(settings, environment);
  return {
    url: YARDARM_URL ?? `http://127.0.0.1:${PORT}`,
    adminToken: YARDARM_ADMIN_TOKEN ?? storedToken(dataFolder(environment)),
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
