import { eventTypes } from '@yardarm/shared/contracts/events';
import { expect, test } from 'vitest';
import { areas, changedKeys, type LiveEvent } from './events.ts';

const event = (type: string): LiveEvent => ({
  id: 7,
  type: type as LiveEvent['type'],
  createdAt: '2026-11-26T12:00:00.000Z',
  createdBy: 'ann',
  createdByUserId: 2,
  project: 'shop',
  featureName: 'new-checkout',
  environment: 'production',
});

test('every type of the log says what is read again, and no other type is in the table', () => {
  expect(Object.keys(areas).sort()).toEqual([...eventTypes].sort());
  for (const type of eventTypes) {
    expect(changedKeys(event(type)).length > 1, type).toBe(areas[type] !== 'nothing');
  }
});

test('a switch reads again the log, the lists, the project and the page of the flag, and no other flag', () => {
  expect(changedKeys(event('feature-environment-enabled'))).toEqual([
    ['events'],
    ['features'],
    ['playground'],
    ['project', 'shop'],
    ['feature', 'shop', 'new-checkout'],
  ]);
});

test('a type of a newer server is read again in the log alone', () => {
  expect(changedKeys(event('feature-teleported'))).toEqual([['events']]);
});

test('a star is read again by its user alone', () => {
  expect(changedKeys(event('feature-favorited'), 3)).toEqual([['events']]);
  expect(changedKeys(event('feature-favorited'), 2)).toContainEqual(['features']);
  expect(changedKeys(event('feature-updated'), 3)).toContainEqual(['features']);
});
