import { describe, expect, it } from 'vitest';
import { requireRootRole, rootGrants } from './role.ts';

const rootRoles = [
  { id: 1, type: 'root', name: 'Admin', description: '' },
  { id: 3, type: 'root', name: 'Viewer', description: '' },
];

describe('roles', () => {
  it('grants a root role its permissions in every project, and per environment where the role says so', () => {
    expect(
      rootGrants([
        { permission: 'CREATE_FEATURE', environment: null },
        { permission: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' },
      ]),
    ).toEqual([
      { permission: 'CREATE_FEATURE' },
      { permission: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'development' },
    ]);
  });

  it.each(['FLY', 'toString', '', 'admin'])('grants nothing for %j, which is no permission', (permission) => {
    expect(rootGrants([{ permission, environment: null }])).toEqual([]);
  });

  it.each([1, 3])('takes %i as a root role', (id) => {
    expect(() => requireRootRole(id, rootRoles)).not.toThrow();
  });

  it.each([0, -1, 2, 4, 3_000_000_000])('refuses %i as a root role, naming property, value and choices', (id) => {
    expect(() => requireRootRole(id, rootRoles)).toThrow(
      `The .rootRole property should be the id of a root role: 1 (Admin), 3 (Viewer). You sent ${id}.`,
    );
  });
});
