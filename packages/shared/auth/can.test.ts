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

/** Who may do what: grants, permission, place, answer. */
const table: [string, Grant[], Permission, Place, boolean][] = [
  ['nobody holds what was not granted', [], 'UPDATE_FEATURE', p, false],
  ['a grant of nothing grants nothing', [{ permissions: [] }], 'UPDATE_FEATURE', p, false],
  ['one permission is not another', [root], 'DELETE_FEATURE', p, false],

  ['ADMIN holds everything of root scope', [admin], 'CREATE_ADDON', {}, true],
  ['ADMIN holds everything of every project', [admin], 'UPDATE_FEATURE', p, true],
  ['ADMIN holds everything of every environment', [admin], 'UPDATE_FEATURE_ENVIRONMENT', inProduction, true],
  ['ADMIN holds a project permission without a project', [admin], 'UPDATE_FEATURE', {}, true],
  ['all other permissions together are not ADMIN', [root, ofProject, ofEnvironment], 'ADMIN', {}, false],

  ['a root role holds what it grants', [root], 'CREATE_ADDON', {}, true],
  ['a root role holds in every project', [root], 'UPDATE_FEATURE', p, true],
  ['a root role holds in every environment', [root], 'UPDATE_FEATURE_ENVIRONMENT', inProduction, true],
  ['a root role holds without a place', [root], 'UPDATE_FEATURE', {}, true],

  ['a project role holds in its project', [ofProject], 'UPDATE_FEATURE', p, true],
  ['a project role holds in no other project', [ofProject], 'UPDATE_FEATURE', { project: 'q' }, false],
  ['a project role does not hold without a place', [ofProject], 'UPDATE_FEATURE', {}, false],
  ['a project role holds no root permission', [ofProject], 'CREATE_ADDON', {}, false],
  ['a role in several projects holds in the first', [ofProjects], 'UPDATE_FEATURE', { project: 'o' }, true],
  ['a role in several projects holds in the last', [ofProjects], 'UPDATE_FEATURE', p, true],
  ['a role in several projects holds in no other', [ofProjects], 'UPDATE_FEATURE', { project: 'q' }, false],
  ['a role in no project holds nowhere', [{ ...ofProjects, projects: [] }], 'UPDATE_FEATURE', p, false],
  ['no project has the name of all', [{ ...ofProjects, projects: ['*'] }], 'UPDATE_FEATURE', p, false],
  ['a project is told apart by every letter', [ofProject], 'UPDATE_FEATURE', { project: 'P' }, false],

  ['a project role holds in each environment', [ofProject], 'UPDATE_FEATURE_ENVIRONMENT', inProduction, true],
  ['without an environment it is asked for all', [ofProject], 'UPDATE_FEATURE_ENVIRONMENT', p, true],
  ['an environment role holds in its environment', [ofEnvironment], 'UPDATE_FEATURE_ENVIRONMENT', inProduction, true],
  ['an environment role holds in no other', [ofEnvironment], 'UPDATE_FEATURE_ENVIRONMENT', inDevelopment, false],
  ['an environment role does not hold in all', [ofEnvironment], 'UPDATE_FEATURE_ENVIRONMENT', p, false],
  [
    'an environment role holds not in its environment of another project',
    [ofEnvironment],
    'UPDATE_FEATURE_ENVIRONMENT',
    { project: 'q', environment: 'production' },
    false,
  ],
  [
    'an environment of a root role holds in every project',
    [ofEnvironmentEverywhere],
    'UPDATE_FEATURE_ENVIRONMENT',
    { project: 'q', environment: 'production' },
    true,
  ],
  [
    'and in no other environment',
    [ofEnvironmentEverywhere],
    'UPDATE_FEATURE_ENVIRONMENT',
    { project: 'q', environment: 'development' },
    false,
  ],

  ['of several grants one is enough', [ofEnvironment, ofProjects], 'UPDATE_FEATURE', p, true],
  [
    'two grants do not add up to a third',
    [{ permissions: ['UPDATE_FEATURE'], projects: ['q'] }, ofEnvironment],
    'UPDATE_FEATURE',
    p,
    false,
  ],
];

test.each(table)('%s', (_title, grants, permission, place, expected) => {
  expect(can(actorWith(...grants), permission, place)).toBe(expected);
});

describe('what a request asks for', () => {
  const accessTo: Permission[] = ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'];

  test.each<[string, Grant[], Permission | Permission[], Place, boolean]>([
    ['one permission that is held', [root], 'CREATE_ADDON', {}, true],
    ['one permission that is not', [root], 'DELETE_ADDON', {}, false],
    ['any of several: the first', [{ permissions: ['PROJECT_USER_ACCESS_WRITE'], projects: ['p'] }], accessTo, p, true],
    ['any of several: the last', [{ permissions: ['UPDATE_PROJECT'], projects: ['p'] }], accessTo, p, true],
    ['any of several: none', [ofProject], accessTo, p, false],
    ['any of several, elsewhere', [{ permissions: accessTo, projects: ['q'] }], accessTo, p, false],
    ['none of no permissions', [root], [], {}, false],
  ])('%s', (_title, grants, required, place, expected) => {
    const ask = () => requirePermission(actorWith(...grants), required, place);
    if (expected) expect(ask).not.toThrow();
    else expect(ask).toThrow(expect.objectContaining({ code: 'no-access' }));
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
  ])('is named by a refusal of %j at %j', (required, place, message) => {
    expect(() => requirePermission(actorWith(), required, place)).toThrow(message);
  });
});
