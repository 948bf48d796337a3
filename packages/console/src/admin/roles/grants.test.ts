import { expect, test } from 'vitest';
import { gives, has, withGrant } from './grants.ts';

const switches = (environment: string | null) => ({ name: 'UPDATE_FEATURE_ENVIRONMENT' as const, environment });

test('a permission is given by itself, by one for each environment, and by ADMIN', () => {
  expect(gives([switches('production')], switches('production'))).toBe(true);
  expect(gives([switches('production')], switches('development'))).toBe(false);
  expect(gives([switches(null)], switches('production'))).toBe(true);
  expect(gives([{ name: 'ADMIN', environment: null }], switches('production'))).toBe(true);
});

test('a permission is added once and taken away', () => {
  const added = withGrant([switches('production')], switches('production'), true);
  expect(added).toEqual([switches('production')]);
  expect(has(added, switches(null))).toBe(false);
  expect(withGrant(added, switches('production'), false)).toEqual([]);
});
