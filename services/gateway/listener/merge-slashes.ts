import type { RequestListener } from 'node:http';

/**
 * Serves a path with several slashes beside each other as the one with one slash: SDKs and scripts add their paths to
 * addresses that end with a slash, and the public product serves them.
 */
export function mergeSlashes(listener: RequestListener): RequestListener {
  return (request, response) => {
    const url = request.url!;
    // Another beginning is that of an absolute address, as proxies get them.
    if (url[0] === '/' && url.includes('//')) request.url = merged(url);
    return listener(request, response);
  };
}

function merged(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  return path.replaceAll(/\/{2,}/g, '/') + url.slice(path.length);
}
