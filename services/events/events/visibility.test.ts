import type { Grant } from '@yardarm/shared/contracts';
import { eventTypes, eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import { describe, expect, test } from 'vitest';
import { isVisible, type Visibility, visibleTo } from './visibility.ts';

const actor = (...grants: Grant[]) => ({ kind: 'user', id: 1, username: 'ada', grants }) as const;

describe('an actor sees', () => {
  test.each<[string, Grant[], Visibility]>([
    ['everything as an admin', [{ permissions: ['ADMIN'] }], 'everything'],
    ['everything with READ_LOGS', [{ permissions: ['READ_LOGS'] }], 'everything'],
    ['no events of people without a grant', [], { ofPeopleIn: [] }],
    ['no events of people with other permissions', [{ permissions: ['CREATE_ADDON'] }], { ofPeopleIn: [] }],
    [
      'events of people of every project with a global access permission',
      [{ permissions: ['PROJECT_USER_ACCESS_READ'] }],
      { ofPeopleIn: 'every-project' },
    ],
    [
      'events of people of the projects with an access permission, over all grants',
      [
        { permissions: ['PROJECT_USER_ACCESS_READ', 'UPDATE_FEATURE'], projects: ['b', 'a'] },
        { permissions: ['UPDATE_PROJECT'], projects: ['c', 'a'] },
        { permissions: ['CREATE_FEATURE'], projects: ['d'] },
      ],
      { ofPeopleIn: ['a', 'b', 'c'] },
    ],
    [
      'no events of people with a grant in one environment',
      [{ permissions: ['PROJECT_USER_ACCESS_READ'], projects: ['a'], environment: 'production' }],
      { ofPeopleIn: [] },
    ],
  ])('%s', (_what, grants, visibility) => {
    expect(visibleTo(actor(...grants))).toEqual(visibility);
  });
});

test.each<[string, Visibility, string[]]>([
  ['everything', 'everything', ['flag', 'user', 'access a', 'access b']],
  ['no events of people', { ofPeopleIn: [] }, ['flag']],
  ['events of people of one project', { ofPeopleIn: ['a'] }, ['flag', 'access a']],
  ['events of people of every project', { ofPeopleIn: 'every-project' }, ['flag', 'access a', 'access b']],
])('a caller who may see %s sees exactly those', (_what, visibility, seen) => {
  const events = {
    flag: { type: 'feature-created', project: 'b' },
    user: { type: 'user-created', project: null },
    'access a': { type: 'project-access-updated', project: 'a' },
    'access b': { type: 'project-user-added', project: 'b' },
  } as const;
  expect(Object.entries(events).flatMap(([name, event]) => (isVisible(event, visibility) ? [name] : []))).toEqual(seen);
});

test('events about users, roles and tokens are of people, and those of flags and projects are not', () => {
  const stems = new Set(
    eventTypesOfPeople.map((type) => /^(project-\w+|public-signup-token|\w+-(?:token|account)|\w+)/.exec(type)![1]),
  );
  expect([...stems].sort()).toEqual([
    ...['api-token', 'group', 'pat', 'project-access', 'project-group', 'project-user'],
    ...['public-signup-token', 'role', 'service-account', 'setting', 'user'],
  ]);
  expect(eventTypes.filter((type) => type.startsWith('feature-') && eventTypesOfPeople.includes(type))).toEqual([]);
});
