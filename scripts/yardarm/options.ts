import { ConfigError, httpAddress, integer, loadConfig, secret } from '@yardarm/shared/config';
import { z } from 'zod';
import { credentialsFile, readCredentials } from '../start/credentials.ts';
import { dataFolder } from '../start/database-logins.ts';

const settings = {
  YARDARM_URL: httpAddress.optional().describe('The running system; on PORT of this machine when not given'),
  PORT: integer(1, 65_535).default(4242).describe('The PORT that npm start was given'),
  YARDARM_ADMIN_TOKEN: secret(
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'should be a token, which has no blanks and only characters of ASCII')
      .optional()
      .describe('An admin token; from the credentials of npm start when not given'),
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
  const { adminToken } = readCredentials(dataDir);
  if (adminToken !== undefined) return adminToken;
  throw new ConfigError(
    `YARDARM_ADMIN_TOKEN: is required, because ${credentialsFile(dataDir)} has no admin token of npm start`,
  );
}
