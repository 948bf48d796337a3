import type { RequestListener } from 'node:http';
import { ConfigError } from '@yardarm/shared/config';

/**
 * Serves each path with the base path and without it: a proxy in front may remove it, and probes do not know it.
 * Without a base path it returns the listener itself, so a read of an SDK costs nothing more.
 */
export function underBasePath(basePath: string, listener: RequestListener): RequestListener {
  if (basePath === '') return listener;
  return (request, response) => {
    const url = request.url!;
    const next = url[basePath.length];
    if (url.startsWith(basePath) && (next === undefined || next === '/' || next === '?')) {
      const rest = url.slice(basePath.length);
      request.url = next === '/' ? rest : `/${rest}`;
    }
    return listener(request, response);
  };
}

/** Throws when the same path could be a route, or another one with the base path. */
export function requireDistinct(basePath: string, paths: readonly string[]): void {
  const same = paths.find((path) => basePath !== '' && `${path}/`.startsWith(`${basePath}/`));
  if (same === undefined) return;
  throw new ConfigError(`BASE_URI_PATH ${basePath} is also the beginning of the route ${same}: choose another path`);
}
