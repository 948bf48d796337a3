import type { Actor, Grant } from '@yardarm/shared/contracts';
import { expect, test } from 'vitest';
import type { RolePermission } from '../roles/role.ts';
import {
  accessOf,
  grantedBy,
  holdersChanging,
  mayGrant,
  type RoleHolders,
  requireEach,
  requireMayGrant,
  requireProjectRoles,
  rolesChanging,
} from './project-access.ts';

const actorWith = (...grants: Grant[]): Actor => ({ kind: 'user', id: 1, username: 'ann', grants });
const everywhere = (permission: string): RolePermission => ({ permission, environment: null });
const switching = (environment: string | null): RolePermission => ({
  permission: 'UPDATE_FEATURE_ENVIRONMENT',
  environment,
});
const inProduction: Grant = {
  permissions: ['UPDATE_FEATURE_ENVIRONMENT'],
  projects: ['p'],
  environment: 'production',
};

test.each<[string, Grant[], RolePermission, boolean]>([
  ['an admin gives everything', [{ permissions: ['ADMIN'] }], everywhere('DELETE_PROJECT'), true],
  ['an admin gives what this release does not know', [{ permissions: ['ADMIN'] }], everywhere('FLY'), true],
  ['nobody else does', [{ permissions: ['UPDATE_PROJECT'] }], everywhere('FLY'), false],
  ['who holds it in every project gives it', [{ permissions: ['UPDATE_FEATURE'] }], everywhere('UPDATE_FEATURE'), true],
  [
    'who holds it in the project gives it',
    [{ permissions: ['UPDATE_FEATURE'], projects: ['o', 'p'] }],
    everywhere('UPDATE_FEATURE'),
    true,
  ],
  [
    'who holds it in another project does not',
    [{ permissions: ['UPDATE_FEATURE'], projects: ['q'] }],
    everywhere('UPDATE_FEATURE'),
    false,
  ],
  ['to change access is not to hold all', [{ permissions: ['UPDATE_PROJECT'] }], everywhere('DELETE_PROJECT'), false],
  ['who holds it in an environment gives it there', [inProduction], switching('production'), true],
  ['and in no other', [inProduction], switching('development'), false],
  ['and not in all', [inProduction], switching(null), false],
  [
    'who holds it in all environments gives it in one',
    [{ permissions: ['UPDATE_FEATURE_ENVIRONMENT'], projects: ['p'] }],
    switching('production'),
    true,
  ],
  ['what is worth nothing in a project is given by anybody', [], everywhere('CREATE_ADDON'), true],
])('%s', (_title, grants, permission, expected) => {
  expect(mayGrant(actorWith(...grants), permission, 'p')).toBe(expected);
});

const role = (id: number, type: 'root' | 'root-custom' | 'project' | 'custom', ...permissions: RolePermission[]) => ({
  ...{ id, type, name: `Role ${id}`, description: '', permissions },
});

test('a refusal names the permission that is lacked, and its environment', () => {
  const given = [role(100, 'custom', switching('production')), role(101, 'custom', switching('development'))];
  expect(() => requireMayGrant(actorWith(inProduction), given.slice(0, 1), 'p')).not.toThrow();
  expect(() => requireMayGrant(actorWith(inProduction), given, 'p')).toThrow(
    'You need the "UPDATE_FEATURE_ENVIRONMENT" permission to perform this action in the "development" environment: ',
  );
});

test.each([
  [[4, 100], null],
  [[4, 1], '.roles[1] property should be the id of a role for projects. You sent 1.'],
  [[101], '.roles[0] property should be the id of a role for projects. You sent 101.'],
  [[4, 100, 3_000_000_000], '.roles[2] property should be the id of a role for projects. You sent 3000000000.'],
])('of the roles %j, in a project', (asked, refusal) => {
  const roles = [role(1, 'root'), role(4, 'project'), role(100, 'custom'), role(101, 'root-custom')];
  const require = () => requireProjectRoles(asked, roles);
  if (refusal === null) expect(require).not.toThrow();
  else expect(require).toThrow(refusal);
});

const accessAs = (roles: RoleHolders[]) => accessOf(grantedBy('user', roles), grantedBy('group', roles));

test('access is told with each role and each holder once, in order, and without roles that nobody has', () => {
  const given = [
    { id: 5, users: [9, 8, 9], groups: [] },
    { id: 100, users: [], groups: [] },
    { id: 4, users: [], groups: [3] },
    { id: 5, users: [7], groups: [2] },
  ];
  expect(accessAs(given)).toEqual([
    { id: 4, users: [], groups: [3] },
    { id: 5, users: [7, 8, 9], groups: [2] },
  ]);
});

test.each<[string, RoleHolders[], RoleHolders[], { roles: number[]; users: number[]; groups: number[] }]>([
  [
    'the same in another order changes nothing',
    [{ id: 4, users: [7, 8], groups: [] }],
    [{ id: 4, users: [8, 7], groups: [] }],
    { roles: [], users: [], groups: [] },
  ],
  [
    'a role that goes from one to another concerns both',
    [{ id: 4, users: [7, 8], groups: [] }],
    [{ id: 4, users: [7, 9], groups: [] }],
    { roles: [4], users: [8, 9], groups: [] },
  ],
  [
    'somebody who gets another role concerns both roles',
    [{ id: 4, users: [7], groups: [3] }],
    [{ id: 5, users: [7], groups: [] }],
    { roles: [4, 5], users: [7], groups: [3] },
  ],
])('%s', (_title, before, after, changing) => {
  expect([...rolesChanging(accessAs(before), accessAs(after))]).toEqual(changing.roles);
  expect(holdersChanging(grantedBy('user', before), grantedBy('user', after))).toEqual(changing.users);
  expect(holdersChanging(grantedBy('group', before), grantedBy('group', after))).toEqual(changing.groups);
});

test('somebody who is not there is named by place and id', () => {
  expect(() => requireEach('users[]', [7, 8], new Set([7]), 'a user')).toThrow(
    'The .users[1] property should be the id of a user. You sent 8.',
  );
});
