import type { Actor, Grant } from '@yardarm/shared/contracts';
import { expect, test } from 'vitest';
import type { RolePermission } from '../roles/role.ts';
import {
  accessOf,
  canGrant,
  changedHolders,
  changedRoles,
  grantedBy,
  type RoleHolders,
  requireCanGrant,
  requireEach,
  requireProjectRoles,
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
  ['an admin grants everything', [{ permissions: ['ADMIN'] }], everywhere('DELETE_PROJECT'), true],
  [
    'an admin grants a permission that this release does not know',
    [{ permissions: ['ADMIN'] }],
    everywhere('FLY'),
    true,
  ],
  [
    'another actor does not grant an unknown permission',
    [{ permissions: ['UPDATE_PROJECT'] }],
    everywhere('FLY'),
    false,
  ],
  [
    'an actor with it in every project grants it',
    [{ permissions: ['UPDATE_FEATURE'] }],
    everywhere('UPDATE_FEATURE'),
    true,
  ],
  [
    'an actor with it in the project grants it',
    [{ permissions: ['UPDATE_FEATURE'], projects: ['o', 'p'] }],
    everywhere('UPDATE_FEATURE'),
    true,
  ],
  [
    'an actor with it in another project does not grant it',
    [{ permissions: ['UPDATE_FEATURE'], projects: ['q'] }],
    everywhere('UPDATE_FEATURE'),
    false,
  ],
  [
    'permission to change access alone does not grant others',
    [{ permissions: ['UPDATE_PROJECT'] }],
    everywhere('DELETE_PROJECT'),
    false,
  ],
  ['an actor with it in an environment grants it there', [inProduction], switching('production'), true],
  ['and in no other environment', [inProduction], switching('development'), false],
  ['and not in all environments', [inProduction], switching(null), false],
  [
    'an actor with it in all environments grants it in one',
    [{ permissions: ['UPDATE_FEATURE_ENVIRONMENT'], projects: ['p'] }],
    switching('production'),
    true,
  ],
  ['a root permission is granted in a project by any actor', [], everywhere('CREATE_ADDON'), true],
])('%s', (_title, grants, permission, expected) => {
  expect(canGrant(actorWith(...grants), permission, 'p')).toBe(expected);
});

const role = (id: number, type: 'root' | 'root-custom' | 'project' | 'custom', ...permissions: RolePermission[]) => ({
  ...{ id, type, name: `Role ${id}`, description: '', permissions },
});

test('a refusal names the missing permission and its environment', () => {
  const granted = [role(100, 'custom', switching('production')), role(101, 'custom', switching('development'))];
  expect(() => requireCanGrant(actorWith(inProduction), granted.slice(0, 1), 'p')).not.toThrow();
  expect(() => requireCanGrant(actorWith(inProduction), granted, 'p')).toThrow(
    'You need the "UPDATE_FEATURE_ENVIRONMENT" permission to perform this action in the "development" environment: ',
  );
});

test.each([
  [[4, 100], null],
  [[4, 1], '.roles[1] property should be the id of a role for projects. You sent 1.'],
  [[101], '.roles[0] property should be the id of a role for projects. You sent 101.'],
  [[4, 100, 3_000_000_000], '.roles[2] property should be the id of a role for projects. You sent 3000000000.'],
])('the roles %j are checked as project roles', (requested, refusal) => {
  const roles = [role(1, 'root'), role(4, 'project'), role(100, 'custom'), role(101, 'root-custom')];
  const require = () => requireProjectRoles(requested, roles);
  if (refusal === null) expect(require).not.toThrow();
  else expect(require).toThrow(refusal);
});

const accessAs = (roles: RoleHolders[]) => accessOf(grantedBy('user', roles), grantedBy('group', roles));

test('access has each role and each holder once, sorted, without roles that have no holder', () => {
  const roles = [
    { id: 5, users: [9, 8, 9], groups: [] },
    { id: 100, users: [], groups: [] },
    { id: 4, users: [], groups: [3] },
    { id: 5, users: [7], groups: [2] },
  ];
  expect(accessAs(roles)).toEqual([
    { id: 4, users: [], groups: [3] },
    { id: 5, users: [7, 8, 9], groups: [2] },
  ]);
});

test.each<[string, RoleHolders[], RoleHolders[], { roles: number[]; users: number[]; groups: number[] }]>([
  [
    'the same access in another order changes nothing',
    [{ id: 4, users: [7, 8], groups: [] }],
    [{ id: 4, users: [8, 7], groups: [] }],
    { roles: [], users: [], groups: [] },
  ],
  [
    'a role that moves from one holder to another changes both holders',
    [{ id: 4, users: [7, 8], groups: [] }],
    [{ id: 4, users: [7, 9], groups: [] }],
    { roles: [4], users: [8, 9], groups: [] },
  ],
  [
    'a holder who gets another role changes both roles',
    [{ id: 4, users: [7], groups: [3] }],
    [{ id: 5, users: [7], groups: [] }],
    { roles: [4, 5], users: [7], groups: [3] },
  ],
])('%s', (_title, before, after, expected) => {
  expect([...changedRoles(accessAs(before), accessAs(after))]).toEqual(expected.roles);
  expect(changedHolders(grantedBy('user', before), grantedBy('user', after))).toEqual(expected.users);
  expect(changedHolders(grantedBy('group', before), grantedBy('group', after))).toEqual(expected.groups);
});

test('a missing user is named by property and id', () => {
  expect(() => requireEach('users[]', [7, 8], new Set([7]), 'a user')).toThrow(
    'The .users[1] property should be the id of a user. You sent 8.',
  );
});
