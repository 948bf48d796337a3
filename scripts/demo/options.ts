import { readFileSync } from 'node:fs';
import path from 'node:path';
import { integer, loadConfig } from '@yardarm/shared/config';
import { z } from 'zod';

const settings = {
  YARDARM_URL: z
    .url('should be a URL')
    .optional()
    .describe('The running system; on PORT of this machine when not given'),
  PORT: integer(1, 65_535).default(4242).describe('The PORT that npm start was given'),
  YARDARM_DATA_DIR: z.string().default('.yardarm').describe('Where npm start keeps the credentials'),
  YARDARM_ADMIN_TOKEN: z.string().optional().describe('An admin token; from the credentials when not given'),
  YARDARM_SDK_TOKEN: z
    .string()
    .optional()
    .describe('A client token of development; from the credentials when not given'),
};

export interface DemoOptions {
  url: string;
  adminToken: string;
  sdkToken: string;
}

/** Reads the demo's settings. Throws when there are no tokens. */
export function readDemoOptions(environment: NodeJS.ProcessEnv = process.env): DemoOptions {
  const given = loadConfig(settings, environment);
  const file = path.resolve(import.meta.dirname, '../..', given.YARDARM_DATA_DIR, 'credentials.json');
  const stored = given.YARDARM_ADMIN_TOKEN && given.YARDARM_SDK_TOKEN ? {} : readCredentials(file);
  const adminToken = given.YARDARM_ADMIN_TOKEN ?? stored.adminToken;
  const sdkToken = given.YARDARM_SDK_TOKEN ?? stored.sdkToken;
  if (!adminToken || !sdkToken) {
    throw new Error(
      `No tokens: start the system with npm start first (they are then in ${file}), or give YARDARM_ADMIN_TOKEN and YARDARM_SDK_TOKEN`,
    );
  }
  const url = given.YARDARM_URL ?? `http://127.0.0.1:${given.PORT}`;
  return { url: url.replace(/\/$/, ''), adminToken, sdkToken };
}

function readCredentials(file: string): { adminToken?: string; sdkToken?: string } {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Absent or unreadable. The caller reports what is missing.
    return {};
  }
}
