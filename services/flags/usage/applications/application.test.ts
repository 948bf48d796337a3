import { expect, test } from 'vitest';
import { outdatedSdks, sdksByName } from './application.ts';

test.each([
  ['an earlier major version', ['sdk:5.9.9'], ['sdk:6.0.0'], ['sdk:5.9.9']],
  ['an earlier version of the same major', ['sdk:6.0.0'], ['sdk:6.12.1'], []],
  ['a major of two digits', ['sdk:9.0.0'], ['sdk:10.0.0'], ['sdk:9.0.0']],
  ['the only version', ['sdk:1.0.0'], ['sdk:1.0.0'], []],
  ['another SDK', ['go:1.0.0'], ['node:6.0.0'], []],
  ['a version with a v', ['go:v4.1.0'], ['go:v5.0.0'], ['go:v4.1.0']],
  ['no version', ['sdk', 'sdk:', 'sdk:unknown'], ['sdk:6.0.0'], []],
])('an SDK version is outdated or not: %s', (_, versions, known, expected) => {
  expect(outdatedSdks(versions, known)).toEqual(expected);
});

test('versions are listed by their SDK', () => {
  expect(sdksByName(['a:1.0.0', 'a:2.0.0', 'b', 'c:d:1.0.0'])).toEqual([
    { name: 'a', versions: ['1.0.0', '2.0.0'] },
    { name: 'b', versions: [''] },
    { name: 'c:d', versions: ['1.0.0'] },
  ]);
});
