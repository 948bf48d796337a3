import type { Grant } from '@yardarm/shared/contracts';
import { expect, test } from 'vitest';
import {
  applyChange,
  holderOfAdminToken,
  projectsOf,
  refuseDeletingOneself,
  rootRoleOf,
  type StoredUser,
  toSignedInUser,
  toUser,
  userEventData,
} from './user.ts';

const rootRoles = [
  { id: 1, type: 'root' as const, name: 'Admin', description: '' },
  { id: 3, type: 'root' as const, name: 'Viewer', description: '' },
  { id: 107, type: 'root-custom' as const, name: 'Harbour master', description: '' },
];

const ann: StoredUser = {
  id: 12,
  kind: 'user',
  name: 'Ann',
  username: 'ann',
  email: 'ann@example.com',
  rootRole: 3,
  loginAttempts: 2,
  mustChangePassword: false,
  seenAt: null,
  createdAt: new Date('2026-01-31T12:00:00Z'),
};

test.each([
  [1, 1],
  [107, 107],
  ['Admin', 1],
  ['viewer', 3],
  ['HARBOUR MASTER', 107],
  ['3', 3],
  ['107', 107],
])('the root role %j is the one with ID %i', (reference, id) => {
  expect(rootRoleOf(reference, rootRoles)).toBe(id);
});

test('digits are an id, and a name only when no root role has that id', () => {
  const numbered = { type: 'root-custom' as const, description: '' };
  const roles = [...rootRoles, { ...numbered, id: 108, name: '3' }, { ...numbered, id: 109, name: '2023' }];
  expect(rootRoleOf('3', roles)).toBe(3);
  expect(rootRoleOf('2023', roles)).toBe(109);
});

test.each([
  [
    77,
    'The .rootRole property should be the id of a root role: 1 (Admin), 3 (Viewer), 107 (Harbour master). You sent 77.',
  ],
  [
    'Owner',
    'The .rootRole property should be the id or the name of a root role: Admin, Viewer, Harbour master. You sent "Owner".',
  ],
  [
    '77',
    'The .rootRole property should be the id or the name of a root role: Admin, Viewer, Harbour master. You sent "77".',
  ],
  [
    '',
    'The .rootRole property should be the id or the name of a root role: Admin, Viewer, Harbour master. You sent "".',
  ],
])('%j is refused as a root role, naming property, value and choices', (reference, message) => {
  expect(() => rootRoleOf(reference, rootRoles)).toThrow(message);
});

test.each([
  ['nothing', {}, null],
  ['what it is', { name: 'Ann', email: 'ann@example.com', rootRole: 3 }, null],
  ['its name', { name: 'Anna' }, { name: 'Anna', email: 'ann@example.com', rootRole: 3 }],
  ['its e-mail', { email: 'a@example.com' }, { name: 'Ann', email: 'a@example.com', rootRole: 3 }],
  ['its root role', { rootRole: 1 }, { name: 'Ann', email: 'ann@example.com', rootRole: 1 }],
])('an update of %s leaves the rest as it is', (_title, change, expected) => {
  expect(applyChange(ann, change)).toEqual(expected);
});

test.each<[string, Grant[], string[] | null]>([
  ['nothing', [], []],
  ['everything', [{ permissions: ['ADMIN'] }], null],
  ['flags everywhere', [{ permissions: ['UPDATE_FEATURE'] }], null],
  ['flags everywhere in one environment', [{ permissions: ['UPDATE_FEATURE_ENVIRONMENT'], environment: 'x' }], null],
  ['integrations alone', [{ permissions: ['CREATE_ADDON'] }], []],
  [
    'flags in some projects',
    [
      { permissions: ['UPDATE_FEATURE'], projects: ['b', 'a'] },
      { permissions: ['DELETE_FEATURE'], projects: ['a'] },
      { permissions: ['CREATE_ADDON'] },
    ],
    ['a', 'b'],
  ],
])('an actor who may change %s has these projects', (_title, grants, projects) => {
  expect(projectsOf(grants)).toEqual(projects);
});

test('users cannot delete themselves, and an admin token is no user', () => {
  expect(() => refuseDeletingOneself(12, { id: 12 })).toThrow('You cannot delete yourself: the ID "12" is your own.');
  expect(() => refuseDeletingOneself(12, { id: -42 })).not.toThrow();
});

test('a missing name or username is absent and not null', () => {
  const user = toUser({ ...ann, name: null, username: null });
  expect(Object.keys(user)).not.toEqual(expect.arrayContaining(['name']));
  expect(Object.keys(user)).not.toEqual(expect.arrayContaining(['username']));
});

test('only the user themselves is shown that their password must be changed', () => {
  expect(toSignedInUser({ ...ann, mustChangePassword: true })).toMatchObject({ mustChangePassword: true });
  expect(toSignedInUser(ann)).toEqual(toUser(ann));
  expect(toUser({ ...ann, mustChangePassword: true })).not.toHaveProperty('mustChangePassword');
});

test('a user without an e-mail address has none in the answer, and a picture by the username', () => {
  const user = toUser({ ...ann, email: null });
  expect(user).not.toHaveProperty('email');
  expect(user.imageUrl).toBe(
    'https://gravatar.com/avatar/49915e0d7d4b402e3017d010bc1c0e83cac6c797d6c16e66340fe3268693a6a1?s=42&d=retro&r=g',
  );
  expect(toUser(ann).imageUrl).toContain('71d4f55f72fa128dfb468a1a3901507c804b74316488744d769d7f4b16696476');
});

test('an admin token is shown as an admin with the name of the token', () => {
  expect(toUser(holderOfAdminToken({ id: -42, username: 'ci' }))).toMatchObject({
    id: -42,
    username: 'ci',
    rootRole: 1,
    accountType: 'User',
  });
});

test('an event has the names and root role of a user, and nothing of passwords or logins', () => {
  expect(userEventData(ann)).toEqual({ id: 12, name: 'Ann', username: 'ann', email: 'ann@example.com', rootRole: 3 });
});
