import type { Grant } from '@yardarm/shared/contracts';
import { eventTypes, eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import { describe, expect, test } from 'vitest';
import { isVisible, type Visibility, visibleTo } from './visibility.ts';

const actor = (...grants: Grant[]) => ({ kind: 'user', id: 1, username: 'ada', grants }) as const;

describe('an actor sees', () => {
  test.each<[string, Grant[], Visibility]>([
    ['everything as an admin', [{ permissions: ['ADMIN'] }], 'everything'],
    ['everything as who may read the log', [{ permissions: ['READ_LOGS'] }], 'everything'],
    ['nothing of people without any grant', [], { ofPeopleIn: [] }],
    ['nothing of people by other permissions', [{ permissions: ['CREATE_ADDON'] }], { ofPeopleIn: [] }],
    [
      'people of every project as who may see access everywhere',
      [{ permissions: ['PROJECT_USER_ACCESS_READ'] }],
      { ofPeopleIn: 'every-project' },
    ],
    [
      'people of the projects in which access may be seen, out of grants that hold together',
      [
        { permissions: ['PROJECT_USER_ACCESS_READ', 'UPDATE_FEATURE'], projects: ['b', 'a'] },
        { permissions: ['UPDATE_PROJECT'], projects: ['c', 'a'] },
        { permissions: ['CREATE_FEATURE'], projects: ['d'] },
      ],
      { ofPeopleIn: ['a', 'b', 'c'] },
    ],
    [
      'nothing of people by a grant in one environment',
      [{ permissions: ['PROJECT_USER_ACCESS_READ'], projects: ['a'], environment: 'production' }],
      { ofPeopleIn: [] },
    ],
  ])('%s', (_what, grants, visibility) => {
    expect(visibleTo(actor(...grants))).toEqual(visibility);
  });
});

test.each<[string, Visibility, string[]]>([
  ['everything', 'everything', ['flag', 'user', 'access a', 'access b']],
  ['nothing of people', { ofPeopleIn: [] }, ['flag']],
  ['people of one project', { ofPeopleIn: ['a'] }, ['flag', 'access a']],
  ['people of every project', { ofPeopleIn: 'every-project' }, ['flag', 'access a', 'access b']],
])('who may see %s sees those events', (_what, visibility, seen) => {
  const events = {
    flag: { type: 'feature-created', project: 'b' },
    user: { type: 'user-created', project: null },
    'access a': { type: 'project-access-updated', project: 'a' },
    'access b': { type: 'project-user-added', project: 'b' },
  } as const;
  expect(Object.entries(events).flatMap(([name, event]) => (isVisible(event, visibility) ? [name] : []))).toEqual(seen);
});

test('events that say who somebody is or what they may do are of people, those of flags and projects are not', () => {
  const stems = new Set(
    eventTypesOfPeople.map((type) => /^(project-\w+|public-signup-token|\w+-(?:token|account)|\w+)/.exec(type)![1]),
  );
  expect([...stems].sort()).toEqual([
    ...['api-token', 'group', 'pat', 'project-access', 'project-group', 'project-user'],
    ...['public-signup-token', 'role', 'service-account', 'setting', 'user'],
  ]);
  expect(eventTypes.filter((type) => type.startsWith('feature-') && eventTypesOfPeople.includes(type))).toEqual([]);
});
