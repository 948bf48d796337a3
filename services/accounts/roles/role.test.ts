import { permissionNames } from '@yardarm/shared/contracts';
import { listedPermission, permissionOfId, type RoleDefinition } from '@yardarm/shared/contracts/accounts';
import { expect, test } from 'vitest';
import {
  decidePermissions,
  grantsOf,
  permitsSame,
  type RolePermission,
  refuseEnvironments,
  requireRootRole,
  type StoredRole,
} from './role.ts';

test('a root role grants everywhere, per environment if its permission has one', () => {
  const permissions = [
    { permission: 'CREATE_FEATURE', environment: null },
    { permission: 'UPDATE_FEATURE', environment: null },
    { permission: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' },
  ];
  expect(grantsOf([{ projects: null, since: null, permissions }])).toEqual([
    { permissions: ['CREATE_FEATURE', 'UPDATE_FEATURE'] },
    { permissions: ['UPDATE_FEATURE_ENVIRONMENT'], environment: 'development' },
  ]);
});

test('a project role grants in its projects, and nothing of root scope', () => {
  const permissions = [
    { permission: 'ADMIN', environment: null },
    { permission: 'CREATE_PROJECT', environment: null },
    { permission: 'UPDATE_FEATURE', environment: null },
  ];
  expect(grantsOf([{ projects: ['p', 'q'], since: [1, 2], permissions }])).toEqual([
    { permissions: ['UPDATE_FEATURE'], projects: ['p', 'q'] },
  ]);
});

const updates = (...environments: (string | null)[]) =>
  environments.map((environment) => ({ permission: 'UPDATE_FEATURE_ENVIRONMENT', environment }));

test('an administrator has one grant, whatever other roles there are', () => {
  const admin = { projects: null, since: null, permissions: [{ permission: 'ADMIN', environment: null }] };
  const other = { projects: ['p'], since: [1], permissions: updates(null) };
  expect(grantsOf([other, admin])).toEqual([{ permissions: ['ADMIN'] }]);
});

test('grants that do not fit a message end with the roles in projects that were granted last', () => {
  const early = { projects: ['old', 'new'], since: [1, 1_000_000], permissions: updates(null) };
  const names = Array.from({ length: 5_000 }, (_, index) => `${index}`.padEnd(100, 'x'));
  const many = {
    ...{ projects: names, since: names.map((_, index) => index + 2) },
    permissions: updates('development', 'production'),
  };
  const grants = grantsOf([many, early]);
  expect(JSON.stringify(grants).length).toBeLessThan(300_000);
  expect(JSON.stringify(grants).length).toBeGreaterThan(290_000);
  const [ofDevelopment, ofProduction, ofEarly] = grants;
  expect(ofEarly).toEqual({ permissions: ['UPDATE_FEATURE_ENVIRONMENT'], projects: ['old'] });
  expect(ofDevelopment?.projects).toEqual(names.slice(0, ofDevelopment!.projects!.length));
  expect(ofProduction?.projects).toEqual(ofDevelopment?.projects);
});

test('a role everywhere stays whole beside roles in more projects than fit', () => {
  const root = { projects: null, since: null, permissions: updates(null) };
  const names = Array.from({ length: 5_000 }, (_, index) => `${index}`.padEnd(100, 'x'));
  const [everywhere] = grantsOf([
    root,
    { projects: names, since: names.map((_, index) => index), permissions: updates(null) },
  ]);
  expect(everywhere).toEqual({ permissions: ['UPDATE_FEATURE_ENVIRONMENT'] });
});

test.each(['FLY', 'toString', '', 'admin'])(
  '%j, which is no permission of this release, grants nothing',
  (permission) => {
    expect(grantsOf([{ projects: null, since: null, permissions: [{ permission, environment: null }] }])).toEqual([]);
  },
);

const rootRoles = [
  { id: 1, type: 'root' as const, name: 'Admin', description: '' },
  { id: 3, type: 'root' as const, name: 'Viewer', description: '' },
];

test.each([1, 3])('%i is accepted as a root role', (id) => {
  expect(() => requireRootRole(id, rootRoles)).not.toThrow();
});

test.each([0, -1, 2, 4, 3_000_000_000])('%i is refused as a root role, naming property, value and choices', (id) => {
  expect(() => requireRootRole(id, rootRoles)).toThrow(
    `The .rootRole property should be the id of a root role: 1 (Admin), 3 (Viewer). You sent ${id}.`,
  );
});

const anywhere = (permission: string) => ({ permission, environment: null });

test.each<[string, StoredRole['type'], RoleDefinition['permissions'], RolePermission[]]>([
  ['no permissions', 'custom', [], []],
  ['a name', 'custom', [{ name: 'UPDATE_FEATURE' }], [anywhere('UPDATE_FEATURE')]],
  ['an id', 'custom', [{ id: listedPermission('UPDATE_FEATURE').id }], [anywhere('UPDATE_FEATURE')]],
  ['a name before an id', 'custom', [{ id: 1, name: 'UPDATE_FEATURE' }], [anywhere('UPDATE_FEATURE')]],
  [
    'no environment is all',
    'custom',
    [{ name: 'SKIP_CHANGE_REQUEST', environment: null }],
    [anywhere('SKIP_CHANGE_REQUEST')],
  ],
  ['root scope in a root role', 'root-custom', [{ name: 'CREATE_ADDON' }], [anywhere('CREATE_ADDON')]],
  [
    'duplicates once, and each environment separately',
    'custom',
    [
      { name: 'SKIP_CHANGE_REQUEST', environment: 'production' },
      { name: 'SKIP_CHANGE_REQUEST', environment: 'development' },
      { name: 'SKIP_CHANGE_REQUEST', environment: 'production' },
    ],
    [
      { permission: 'SKIP_CHANGE_REQUEST', environment: 'production' },
      { permission: 'SKIP_CHANGE_REQUEST', environment: 'development' },
    ],
  ],
])('of the permissions of a custom role: %s', (_title, type, requested, decided) => {
  expect(decidePermissions(type, requested)).toEqual(decided);
});

test.each<[StoredRole['type'], RoleDefinition['permissions'][number], string]>([
  ['root-custom', { name: 'ADMIN' }, '.permissions[0].name property should be less than ADMIN'],
  ['custom', { name: 'CREATE_ADDON' }, '.permissions[0].name property should be a permission of a project'],
  ['custom', { name: '__proto__' }, '.permissions[0].name property should be the name of a permission'],
  ['custom', { id: 1.5 }, '.permissions[0].id property should be the id of a permission. You sent 1.5.'],
  ['custom', { name: 'UPDATE_FEATURE', environment: 'x' }, '.permissions[0].environment property should be absent'],
])('in a role of type %s, %j is refused', (type, requested, words) => {
  expect(() => decidePermissions(type, [requested])).toThrow(words);
});

test('a missing environment is refused with its property', () => {
  const requested = [{ name: 'UPDATE_FEATURE' }, { name: 'SKIP_CHANGE_REQUEST', environment: 'moon' }];
  expect(() => refuseEnvironments([], requested)).not.toThrow();
  expect(() => refuseEnvironments(['moon'], requested)).toThrow(
    'The .permissions[1].environment property should be the name of an environment. You sent "moon".',
  );
});

test.each<[RolePermission[], RolePermission[], boolean]>([
  [[], [], true],
  [[anywhere('a'), anywhere('b')], [anywhere('b'), anywhere('a')], true],
  [[anywhere('a')], [{ permission: 'a', environment: 'production' }], false],
  [[anywhere('a')], [anywhere('a'), anywhere('b')], false],
])('%j permits the same as %j: %j', (one, other, same) => {
  expect(permitsSame(one, other)).toBe(same);
});

test('the id of a permission maps to it, and no other number does', () => {
  for (const name of permissionNames) expect(permissionOfId(listedPermission(name).id)).toBe(name);
  for (const id of [0, -1, permissionNames.length + 1, 1.5, Number.NaN]) expect(permissionOfId(id)).toBeUndefined();
});

test.each([
  ['ADMIN', 1],
  ['CREATE_ADDON', 2],
  ['CREATE_FEATURE', 36],
  ['CREATE_FEATURE_STRATEGY', 58],
  ['SKIP_CHANGE_REQUEST', 65],
] as const)('%s keeps its id: the list of permissions is appended to and never sorted', (name, id) => {
  expect(listedPermission(name).id).toBe(id);
});
