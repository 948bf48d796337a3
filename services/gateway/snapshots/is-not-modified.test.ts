import { expect, test } from 'vitest';
import { isNotModified } from './is-not-modified.ts';

const etag = '"76d8bb0e:10:ab12"';

test.each([
  [undefined, false],
  ['', false],
  ['*', true],
  [etag, true],
  [`W/${etag}`, true],
  [`"other", ${etag}`, true],
  ['"other", W/"another"', false],
  ['76d8bb0e:10:ab12', false],
])('If-None-Match %s against the ETag gives %s', (header, expected) => {
  expect(isNotModified(header, etag)).toBe(expected);
});
