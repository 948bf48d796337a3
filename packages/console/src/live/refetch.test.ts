import { expect, test } from 'vitest';
import { refetchAfter, refetchMs } from './refetch.ts';

test('a list of many pages is read again less often', () => {
  expect(refetchAfter(undefined)).toBe(refetchMs);
  expect(refetchAfter({ name: 'a' })).toBe(refetchMs);
  expect(refetchAfter({ pages: [1, 2, 3] })).toBe(3 * refetchMs);
});
