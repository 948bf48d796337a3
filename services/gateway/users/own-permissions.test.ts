import type { Grant } from '@yardarm/shared/contracts';
import { expect, test } from 'vitest';
import { type OwnPermission, ownPermissions } from './own-permissions.ts';

test.each<[string, Grant[], OwnPermission[]]>([
  ['nobody', [], []],
  ['an admin', [{ permissions: ['UPDATE_ADDON'] }, { permissions: ['ADMIN'] }], [{ permission: 'ADMIN' }]],
  [
    'the holder of a root role',
    [{ permissions: ['CREATE_ADDON', 'UPDATE_FEATURE'] }],
    [{ permission: 'CREATE_ADDON' }, { permission: 'UPDATE_FEATURE' }],
  ],
  [
    'the holder of a role in two projects, one permission of it in one environment',
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
    'the holder of a root role for one environment',
    [{ permissions: ['UPDATE_FEATURE_ENVIRONMENT'], environment: 'development' }],
    [{ permission: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' }],
  ],
  ['the holder of a role in no project', [{ permissions: ['UPDATE_FEATURE'], projects: [] }], []],
])('%s is shown what their grants permit, place by place', (_title, grants, expected) => {
  expect(ownPermissions(grants)).toEqual(expected);
});
