import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { mergeSlashes } from './merge-slashes.ts';

test.each([
  ['/api//client/features', '/api/client/features'],
  ['//api///client/features//', '/api/client/features/'],
  ['/api//client/features?from=https://a//b', '/api/client/features?from=https://a//b'],
  ['/api/client/features?from=https://a//b', '/api/client/features?from=https://a//b'],
  ['//', '/'],
  ['http://flags.example.com//api', 'http://flags.example.com//api'],
  ['*', '*'],
])('%s is served as %s', (url, served) => {
  const request = { url } as IncomingMessage;
  mergeSlashes(() => {})(request as never, undefined as never);
  expect(request.url).toBe(served);
});
