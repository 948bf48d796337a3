import { expect, test } from 'vitest';
import { expectedVersions } from './versions.ts';

test.each([
  ['no header', undefined, undefined],
  ['any version', '*', undefined],
  ['one version', '"12"', [12]],
  ['several versions', '"12", "13"', [12, 13]],
  ['a weak ETag, which never matches', 'W/"12"', []],
  ['an ETag of another server', '"abc"', []],
  ['a version without quotes', '12', []],
  ['nothing', '', []],
])('an If-Match with %s', (_title, header, versions) => {
  expect(expectedVersions(header)).toEqual(versions);
});
