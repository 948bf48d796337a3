import { beforeEach, expect, test } from 'vitest';
import type { LiveEvent } from './events.ts';
import { forgetChanges, recentChange, rememberChange } from './recent-changes.ts';

beforeEach(forgetChanges);

const remember = (type: LiveEvent['type'], createdBy: string, environment?: string) =>
  rememberChange({
    ...{ id: 1, type, createdAt: '2026-01-31T12:00:00.000Z', createdBy, createdByUserId: 7 },
    ...{ project: 'shop', featureName: 'pay', environment: environment ?? null },
  });

test('a change of a part of a flag is of the person who made it, whatever others do to the flag', () => {
  remember('feature-metadata-updated', 'Ann');
  remember('feature-favorited', 'Bob');
  remember('feature-tagged', 'Bob');
  expect(recentChange('shop', 'pay', undefined, ['feature-metadata-updated'])?.by).toBe('Ann');
  expect(recentChange('shop', 'pay', undefined, ['feature-dependency-added'])).toBeUndefined();
});

test('without types it is the last change in the environment', () => {
  remember('feature-strategy-update', 'Ann', 'production');
  remember('feature-environment-enabled', 'Bob', 'production');
  remember('feature-strategy-update', 'Ann', 'production');
  expect(recentChange('shop', 'pay', 'production')?.type).toBe('feature-strategy-update');
  expect(recentChange('shop', 'pay', 'development')).toBeUndefined();
});

test('nobody is named after a gap', () => {
  remember('feature-metadata-updated', 'Ann');
  forgetChanges();
  expect(recentChange('shop', 'pay', undefined)).toBeUndefined();
});
