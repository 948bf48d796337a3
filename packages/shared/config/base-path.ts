import { z } from 'zod';
import { ConfigError } from './config-error.ts';

const wrongPath = 'should be a path such as /flags: segments of letters, digits and . _ ~ -';

/** The path in front of every route: empty, or one with a slash at its beginning and none at its end. */
export const basePath = z
  .string()
  .transform((text) => text.replace(/^\/*(?=[^/])/, '/').replace(/\/+$/, ''))
  .pipe(z.string().regex(/^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/, wrongPath));

/** The address with the base path. One that has a path already has to have this one. */
export function atBasePath(url: string, path: string): string {
  const own = new URL(url).pathname.replace(/\/$/, '');
  if (own === '') return url + path;
  if (path === '' || own === path) return url;
  throw new ConfigError(`UNLEASH_URL has the path ${own}, and BASE_URI_PATH is ${path}: they should be the same`);
}
