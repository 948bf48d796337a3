import { integer, loadConfig, secret } from '@yardarm/shared/config';
import { z } from 'zod';
import { credentialsFile, readCredentials } from '../start/credentials.ts';
import { dataFolder } from '../start/database-logins.ts';

export const settings = {
  YARDARM_URL: z
    .url('should be a URL')
    .optional()
    .describe('The running system; on PORT of this machine when not given'),
  PORT: integer(1, 65_535).default(4242).describe('The PORT that npm start was given'),
  YARDARM_DATA_DIR: z.string().default('.yardarm').describe('Where npm start keeps the credentials'),
  YARDARM_ADMIN_TOKEN: secret(z.string().optional().describe('An admin token; from the credentials when not given')),
  YARDARM_SDK_TOKEN: secret(
    z
      .string()
      .regex(/^[^:]+:development\../, 'should be a client token of the environment development')
      .optional()
      .describe('A client token of development; from the credentials when not given'),
  ),
  YARDARM_RECEIVER_HOST: z
    .string()
    .regex(/^[^\s/:]+$/, 'should be an IPv4 address or a name of this machine')
    .default('127.0.0.1')
    .describe('The address of this machine at which the system reaches the receiver of webhooks'),
};

interface Token {
  text: string;
  /** The setting or the file that has it. */
  source: string;
}

export interface DemoOptions {
  url: string;
  adminToken: Token;
  sdkToken: Token;
  receiverHost: string;
}

/** Reads the demo's settings. Throws when there are no tokens, or when the credentials that have them are damaged. */
export function readDemoOptions(environment: NodeJS.ProcessEnv = process.env): DemoOptions {
  const given = loadConfig(settings, environment);
  const folder = dataFolder(environment);
  const file = credentialsFile(folder);
  const stored = given.YARDARM_ADMIN_TOKEN && given.YARDARM_SDK_TOKEN ? {} : readCredentials(folder);
  const tokenOf = (setting: 'YARDARM_ADMIN_TOKEN' | 'YARDARM_SDK_TOKEN', kept: string | undefined): Token => {
    const value = given[setting];
    if (value !== undefined) return { text: value, source: setting };
    if (kept !== undefined) return { text: kept, source: file };
    throw new Error(
      `there is no ${setting}: set it, or run npm start first, which makes a token and stores it in ${file}`,
    );
  };
  const url = given.YARDARM_URL ?? `http://127.0.0.1:${given.PORT}`;
  return {
    url: url.replace(/\/$/, ''),
    adminToken: tokenOf('YARDARM_ADMIN_TOKEN', stored.adminToken),
    sdkToken: tokenOf('YARDARM_SDK_TOKEN', stored.sdkToken),
    receiverHost: given.YARDARM_RECEIVER_HOST,
  };
}
