import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Options } from './options.ts';

const schema = z.object({ username: z.string(), password: z.string() });

/** The login of the first admin, with the password that accounts generated and the admin has to change. */
export type FirstAdmin = z.infer<typeof schema>;

/** Accounts writes this file. Only its owner can read it. */
export function firstAdminFile(dataDir: string): string {
  return path.join(dataDir, 'first-admin.json');
}

/**
 * The login that accounts wrote at this or an earlier start. Undefined when the operator configured a password or there
 * were users already.
 */
export function readFirstAdmin(options: Options): FirstAdmin | undefined {
  const file = firstAdminFile(options.dataDir);
  if (!existsSync(file)) return undefined;
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
