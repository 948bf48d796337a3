import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { requireDistinct, underBasePath } from './base-path.ts';

test.each([
  ['/flags/api/client/features', '/api/client/features'],
  ['/api/client/features', '/api/client/features'],
  ['/flags', '/'],
  ['/flags?a=1', '/?a=1'],
  ['/flags/?a=1', '/?a=1'],
  ['/flagship/api', '/flagship/api'],
  ['/flags/flags/api', '/flags/api'],
])('under /flags, %s is %s', (url, expected) => {
  const request = { url } as IncomingMessage;
  underBasePath('/flags', () => undefined)(request, {} as ServerResponse);
  expect(request.url).toBe(expected);
});

test('without a base path the listener is called by nothing else', () => {
  const listener: RequestListener = () => undefined;
  expect(underBasePath('', listener)).toBe(listener);
});

test('a base path that begins a route is refused, naming both', () => {
  const paths = ['/', '/health', '/api/admin/user'];
  expect(() => requireDistinct('/api', paths)).toThrow(
    'BASE_URI_PATH /api is also the beginning of the route /api/admin/user',
  );
  expect(() => requireDistinct('/health', paths)).toThrow('/health');
  for (const path of ['', '/flags', '/ap']) expect(() => requireDistinct(path, paths)).not.toThrow();
});
