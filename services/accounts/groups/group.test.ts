import { expect, test } from 'vitest';
import { isSameDefinition, membersChange, requireMembers, type StoredGroup } from './group.ts';

test.each<[number[], number[], { joining: number[]; leaving: number[] }]>([
  [[], [], { joining: [], leaving: [] }],
  [[], [10, 9], { joining: [9, 10], leaving: [] }],
  [[10, 9], [], { joining: [], leaving: [9, 10] }],
  [[1, 2], [2, 1], { joining: [], leaving: [] }],
  [[1, 2, 3], [3, 4], { joining: [4], leaving: [1, 2] }],
])('when the members %j become %j, %j', (before, after, change) => {
  expect(membersChange(new Set(before), new Set(after))).toEqual(change);
});

test('the first missing member is named by property and id', () => {
  const requested = [{ user: { id: 1 } }, { user: { id: 7 } }, { user: { id: 8 } }];
  expect(() => requireMembers(requested, new Set([1, 7, 8]))).not.toThrow();
  expect(() => requireMembers(requested, new Set([1]))).toThrow(
    'The .users[1].user.id property should be the id of a user or a service account. You sent 7.',
  );
});

const stored: StoredGroup = {
  id: 3,
  name: 'Crew',
  description: null,
  mappingsSSO: ['a'],
  rootRole: null,
  createdBy: null,
  createdAt: new Date(0),
  projects: [],
};

test.each<[Partial<StoredGroup>, boolean]>([
  [{}, true],
  [{ name: 'crew' }, false],
  [{ description: '' }, false],
  [{ rootRole: 3 }, false],
  [{ mappingsSSO: ['a', 'b'] }, false],
])('a definition with %j is the same: %j', (change, same) => {
  expect(isSameDefinition(stored, { ...stored, ...change })).toBe(same);
});
