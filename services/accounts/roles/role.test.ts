import { expect, test } from 'vitest';
import { grantsOf, requireRootRole } from './role.ts';

test('a root role grants everywhere, per environment where its permission is', () => {
  const permissions = [
    { permission: 'CREATE_FEATURE', environment: null },
    { permission: 'UPDATE_FEATURE', environment: null },
    { permission: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' },
  ];
  expect(grantsOf([{ projects: null, permissions }])).toEqual([
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
  expect(grantsOf([{ projects: ['p', 'q'], permissions }])).toEqual([
    { permissions: ['UPDATE_FEATURE'], projects: ['p', 'q'] },
  ]);
});

test.each(['FLY', 'toString', '', 'admin'])(
  '%j, which is no permission of this release, grants nothing',
  (permission) => {
    expect(grantsOf([{ projects: null, permissions: [{ permission, environment: null }] }])).toEqual([]);
  },
);

const rootRoles = [
  { id: 1, type: 'root' as const, name: 'Admin', description: '' },
  { id: 3, type: 'root' as const, name: 'Viewer', description: '' },
];

test.each([1, 3])('%i is taken as a root role', (id) => {
  expect(() => requireRootRole(id, rootRoles)).not.toThrow();
});

test.each([0, -1, 2, 4, 3_000_000_000])('%i is refused as a root role, naming property, value and choices', (id) => {
  expect(() => requireRootRole(id, rootRoles)).toThrow(
    `The .rootRole property should be the id of a root role: 1 (Admin), 3 (Viewer). You sent ${id}.`,
  );
});
