import { expect, test } from 'vitest';
import type { Actor, Grant } from '../contracts/actor.ts';
import type { Permission } from '../contracts/permissions.ts';
import { can, type Place, requirePermission } from './can.ts';

function actorWith(...grants: Grant[]): Actor {
  return { kind: 'user', id: 1, username: 'ann', grants };
}

const cases: [string, Grant[], Permission, Place, boolean][] = [
  ['ADMIN holds every permission everywhere', [{ permissions: ['ADMIN'] }], 'UPDATE_FEATURE', { project: 'p' }, true],
  ['nobody holds what was not granted', [], 'UPDATE_FEATURE', { project: 'p' }, false],
  [
    'a grant without a project holds in every project',
    [{ permissions: ['UPDATE_FEATURE'] }],
    'UPDATE_FEATURE',
    { project: 'p' },
    true,
  ],
  [
    'a grant for a project holds there',
    [{ permissions: ['UPDATE_FEATURE'], projects: ['p'] }],
    'UPDATE_FEATURE',
    { project: 'p' },
    true,
  ],
  [
    'a grant for a project holds nowhere else',
    [{ permissions: ['UPDATE_FEATURE'], projects: ['p'] }],
    'UPDATE_FEATURE',
    { project: 'q' },
    false,
  ],
  [
    'a grant for an environment holds in no other environment',
    [{ permissions: ['UPDATE_FEATURE_ENVIRONMENT'], projects: ['p'], environment: 'development' }],
    'UPDATE_FEATURE_ENVIRONMENT',
    { project: 'p', environment: 'production' },
    false,
  ],
  ['one permission is not another', [{ permissions: ['CREATE_FEATURE'] }], 'UPDATE_FEATURE', { project: 'p' }, false],
];

test.each(cases)('%s', (_title, grants, permission, place, expected) => {
  expect(can(actorWith(...grants), permission, place)).toBe(expected);
});

test('a refusal names the permission, and the environment where it is per environment', () => {
  expect(() => requirePermission(actorWith(), 'UPDATE_FEATURE', { project: 'p' })).toThrow(
    'You need the "UPDATE_FEATURE" permission to perform this action.',
  );
  expect(() =>
    requirePermission(actorWith(), 'UPDATE_FEATURE_ENVIRONMENT', { project: 'p', environment: 'production' }),
  ).toThrow(
    'You need the "UPDATE_FEATURE_ENVIRONMENT" permission to perform this action in the "production" environment.',
  );
});
