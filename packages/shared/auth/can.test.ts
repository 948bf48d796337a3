import { describe, expect, test } from 'vitest';
import type { Actor, Grant } from '../contracts/actor.ts';
import type { Permission } from '../contracts/permissions.ts';
import { can, type Place, requirePermission } from './can.ts';

function actorWith(...grants: Grant[]): Actor {
  return { kind: 'user', id: 1, username: 'ann', grants };
}

const p: Place = { project: 'p' };
const inProduction: Place = { project: 'p', environment: 'production' };
const inDevelopment: Place = { project: 'p', environment: 'development' };

const admin: Grant = { permissions: ['ADMIN'] };
const root: Grant = { permissions: ['CREATE_ADDON', 'UPDATE_FEATURE', 'UPDATE_FEATURE_ENVIRONMENT'] };
const ofProject: Grant = { permissions: ['UPDATE_FEATURE', 'UPDATE_FEATURE_ENVIRONMENT'], projects: ['p'] };
const ofProjects: Grant = { permissions: ['UPDATE_FEATURE'], projects: ['o', 'p'] };
const ofEnvironment: Grant = {
  permissions: ['UPDATE_FEATURE_ENVIRONMENT'],
  projects: ['p'],
  environment: 'production',
};
const ofEnvironmentEverywhere: Grant = { permissions: ['UPDATE_FEATURE_ENVIRONMENT'], environment: 'production' };

/** Title, grants, permission, place, result. */
const table: [string, Grant[], Permission, Place, boolean][] = [
  ['without grants there is no permission', [], 'UPDATE_FEATURE', p, false],
  ['a grant without permissions grants nothing', [{ permissions: [] }], 'UPDATE_FEATURE', p, false],
  ['one permission is not another', [root], 'DELETE_FEATURE', p, false],

  ['ADMIN includes every root permission', [admin], 'CREATE_ADDON', {}, true],
  ['ADMIN includes every permission of every project', [admin], 'UPDATE_FEATURE', p, true],
  ['ADMIN includes every permission of every environment', [admin], 'UPDATE_FEATURE_ENVIRONMENT', inProduction, true],
  ['ADMIN includes a project permission without a project', [admin], 'UPDATE_FEATURE', {}, true],
  ['all other permissions together are not ADMIN', [root, ofProject, ofEnvironment], 'ADMIN', {}, false],

  ['a root role has the permissions that it grants', [root], 'CREATE_ADDON', {}, true],
  ['a root role applies to every project', [root], 'UPDATE_FEATURE', p, true],
  ['a root role applies to every environment', [root], 'UPDATE_FEATURE_ENVIRONMENT', inProduction, true],
  ['a root role applies without a place', [root], 'UPDATE_FEATURE', {}, true],

  ['a project role applies to its project', [ofProject], 'UPDATE_FEATURE', p, true],
  ['a project role applies to no other project', [ofProject], 'UPDATE_FEATURE', { project: 'q' }, false],
  ['a project role does not apply without a place', [ofProject], 'UPDATE_FEATURE', {}, false],
  ['a project role has no root permission', [ofProject], 'CREATE_ADDON', {}, false],
  ['a role in several projects applies to the first', [ofProjects], 'UPDATE_FEATURE', { project: 'o' }, true],
  ['a role in several projects applies to the last', [ofProjects], 'UPDATE_FEATURE', p, true],
  ['a role in several projects applies to no other', [ofProjects], 'UPDATE_FEATURE', { project: 'q' }, false],
  ['a role in no project applies nowhere', [{ ...ofProjects, projects: [] }], 'UPDATE_FEATURE', p, false],
  ['a project named * does not mean all projects', [{ ...ofProjects, projects: ['*'] }], 'UPDATE_FEATURE', p, false],
  ['project names are case-sensitive', [ofProject], 'UPDATE_FEATURE', { project: 'P' }, false],

  ['a project role applies to each environment', [ofProject], 'UPDATE_FEATURE_ENVIRONMENT', inProduction, true],
  [
    'a place without an environment requires all of them, which a project role has',
    [ofProject],
    'UPDATE_FEATURE_ENVIRONMENT',
    p,
    true,
  ],
  ['an environment role applies to its environment', [ofEnvironment], 'UPDATE_FEATURE_ENVIRONMENT', inProduction, true],
  ['an environment role applies to no other', [ofEnvironment], 'UPDATE_FEATURE_ENVIRONMENT', inDevelopment, false],
  ['an environment role does not apply to all', [ofEnvironment], 'UPDATE_FEATURE_ENVIRONMENT', p, false],
  [
    'an environment role does not apply to its environment in another project',
    [ofEnvironment],
    'UPDATE_FEATURE_ENVIRONMENT',
    { project: 'q', environment: 'production' },
    false,
  ],
  [
    'a grant for an environment without projects applies to every project',
    [ofEnvironmentEverywhere],
    'UPDATE_FEATURE_ENVIRONMENT',
    { project: 'q', environment: 'production' },
    true,
  ],
  [
    'a grant for an environment without projects applies to no other environment',
    [ofEnvironmentEverywhere],
    'UPDATE_FEATURE_ENVIRONMENT',
    { project: 'q', environment: 'development' },
    false,
  ],

  ['one of several grants is enough', [ofEnvironment, ofProjects], 'UPDATE_FEATURE', p, true],
  [
    'two grants do not combine to a third',
    [{ permissions: ['UPDATE_FEATURE'], projects: ['q'] }, ofEnvironment],
    'UPDATE_FEATURE',
    p,
    false,
  ],
];

test.each(table)('%s', (_title, grants, permission, place, expected) => {
  expect(can(actorWith(...grants), permission, place)).toBe(expected);
});

test.each<[string, Grant[], boolean]>([
  ['a grant in one project', [ofProject], true],
  ['a grant in an environment', [{ ...ofEnvironment, permissions: ['UPDATE_FEATURE'] }], true],
  ['a root role', [root], true],
  ['ADMIN', [admin], true],
  ['a role in no project', [{ ...ofProject, projects: [] }], false],
  ['another permission', [{ permissions: ['CREATE_ADDON'] }], false],
])('anywhere accepts or refuses %s', (_title, grants, expected) => {
  expect(can(actorWith(...grants), 'UPDATE_FEATURE', 'anywhere')).toBe(expected);
});

describe('a request that requires', () => {
  const accessTo: Permission[] = ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'];

  test.each<[string, Grant[], Permission | Permission[], Place, boolean]>([
    ['one permission, which the actor has', [root], 'CREATE_ADDON', {}, true],
    ['one permission, which the actor does not have', [root], 'DELETE_ADDON', {}, false],
    ['any of several: the first', [{ permissions: ['PROJECT_USER_ACCESS_WRITE'], projects: ['p'] }], accessTo, p, true],
    ['any of several: the last', [{ permissions: ['UPDATE_PROJECT'], projects: ['p'] }], accessTo, p, true],
    ['any of several: none', [ofProject], accessTo, p, false],
    ['any of several: another project', [{ permissions: accessTo, projects: ['q'] }], accessTo, p, false],
    ['an empty list of permissions', [root], [], {}, false],
  ])('%s', (_title, grants, required, place, expected) => {
    const check = () => requirePermission(actorWith(...grants), required, place);
    if (expected) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'no-access' }));
  });

  test.each<[Permission | Permission[], Place, string]>([
    ['UPDATE_FEATURE', p, 'You need the "UPDATE_FEATURE" permission to perform this action.'],
    [
      'UPDATE_FEATURE_ENVIRONMENT',
      inProduction,
      'You need the "UPDATE_FEATURE_ENVIRONMENT" permission to perform this action in the "production" environment.',
    ],
    ['UPDATE_FEATURE', inProduction, 'You need the "UPDATE_FEATURE" permission to perform this action.'],
    [
      accessTo,
      p,
      'You need one of the permissions "PROJECT_USER_ACCESS_WRITE", "UPDATE_PROJECT" to perform this action.',
    ],
  ])('%j at %j is named in the refusal', (required, place, message) => {
    expect(() => requirePermission(actorWith(), required, place)).toThrow(message);
  });
});
