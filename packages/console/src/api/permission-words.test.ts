import { expect, test } from 'vitest';
import { permissionWords, withPermissionWords } from './permission-words.ts';

test('a permission is called as on the screens of roles, with its name in the API', () => {
  expect(permissionWords('UPDATE_FEATURE')).toBe('“Update flags” (UPDATE_FEATURE)');
  expect(permissionWords('OF_A_NEWER_RELEASE')).toBe('OF_A_NEWER_RELEASE');
});

test('a refusal names permissions so, and leaves what else is quoted', () => {
  const refusal = 'You need the "UPDATE_FEATURE" permission to perform this action in the "PROD" environment.';
  expect(withPermissionWords(refusal)).toBe(
    'You need the “Update flags” (UPDATE_FEATURE) permission to perform this action in the "PROD" environment.',
  );
});
