import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Options } from './options.ts';

const schema = z.object({ username: z.string(), password: z.string() });

/** The login of the first admin, with the password that accounts generated and that has to be changed. */
export type FirstAdmin = z.infer<typeof schema>;

/** Where accounts writes it, readable by its owner alone. */
export function firstAdminFile(dataDir: string): string {
  return path.join(dataDir, 'first-admin.json');
}

/**
 * What accounts has written, now or at an earlier start; undefined when it never had a reason to: the operator gave a password, or there
 * were users already.
 */
export function readFirstAdmin(options: Options): FirstAdmin | undefined {
  const file = firstAdminFile(options.dataDir);
  if (!existsSync(file)) return undefined;
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
