import type { Grant } from '@yardarm/shared/contracts';
import { expect, test } from 'vitest';
import { type OwnPermission, ownPermissions } from './own-permissions.ts';

test.each<[string, Grant[], OwnPermission[]]>([
  ['a user without grants', [], []],
  ['an admin', [{ permissions: ['UPDATE_ADDON'] }, { permissions: ['ADMIN'] }], [{ permission: 'ADMIN' }]],
  [
    'a user with a root role',
    [{ permissions: ['CREATE_ADDON', 'UPDATE_FEATURE'] }],
    [{ permission: 'CREATE_ADDON' }, { permission: 'UPDATE_FEATURE' }],
  ],
  [
    'a user with a role in two projects, one permission of it in one environment',
    [
      { permissions: ['UPDATE_FEATURE'], projects: ['a', 'b'] },
      { permissions: ['UPDATE_FEATURE_ENVIRONMENT'], projects: ['a', 'b'], environment: 'production' },
    ],
    [
      { permission: 'UPDATE_FEATURE', project: 'a' },
      { permission: 'UPDATE_FEATURE', project: 'b' },
      { permission: 'UPDATE_FEATURE_ENVIRONMENT', project: 'a', environment: 'production' },
      { permission: 'UPDATE_FEATURE_ENVIRONMENT', project: 'b', environment: 'production' },
    ],
  ],
  [
    'a user with a root role for one environment',
    [{ permissions: ['UPDATE_FEATURE_ENVIRONMENT'], environment: 'development' }],
    [{ permission: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' }],
  ],
  ['a user with a role in no project', [{ permissions: ['UPDATE_FEATURE'], projects: [] }], []],
])('lists the permissions of %s by project and environment', (_title, grants, expected) => {
  expect(ownPermissions(grants)).toEqual(expected);
});
