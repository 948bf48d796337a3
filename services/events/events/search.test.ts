import { describe, expect, test } from 'vitest';
import { countersOf, type Filters, searchFor } from './search.ts';
import type { Visibility } from './visibility.ts';

const nothingOfPeople: Visibility = { ofPeopleIn: [] };

describe('the total', () => {
  test.each<[string, Filters, ReturnType<typeof countersOf>]>([
    ['nothing asked', {}, { kind: 'total', names: [''] }],
    ['a type', { types: ['feature-created'] }, { kind: 'type', names: ['feature-created'] }],
    ['a type twice', { types: ['role-created', 'role-created'] }, { kind: 'type', names: ['role-created'] }],
    ['two projects', { projects: ['b', 'a'] }, { kind: 'project', names: ['a', 'b'] }],
    ['a flag with an empty query', { features: ['a'], query: '' }, { kind: 'feature', names: ['a'] }],
    ['two filters', { features: ['a'], projects: ['default'] }, null],
    ['free text', { query: 'a' }, null],
    ['what has no counter', { createdBy: [1] }, null],
  ])('of %s comes from the counters that hold it, if any do', (_what, filters, counters) => {
    expect(countersOf(searchFor(filters, 'everything'))).toEqual(counters);
  });

  test('is counted for somebody from whom events are kept, unless none of those are asked for', () => {
    expect(countersOf(searchFor({}, nothingOfPeople))).toBe(null);
    expect(countersOf(searchFor({ types: ['feature-created', 'user-created'] }, nothingOfPeople))).toBe(null);
    expect(countersOf(searchFor({ types: ['feature-created'] }, nothingOfPeople))).not.toBe(null);
  });
});

describe('searches that find the same', () => {
  test('have one key', () => {
    const key = searchFor({ types: ['tag-created', 'tag-deleted'], query: 'a' }, nothingOfPeople).key;
    expect(searchFor({ query: 'a', types: ['tag-deleted', 'tag-created'], from: undefined }, 'everything').key).toBe(
      key,
    );
  });

  test.each<[string, Filters, Visibility]>([
    ['in a value', { projects: ['b'] }, 'everything'],
    ['in the filter that has the value', { features: ['a'] }, 'everything'],
    ['in what may be seen', { projects: ['a'] }, nothingOfPeople],
    ['in the projects whose people may be seen', { projects: ['a'] }, { ofPeopleIn: ['a'] }],
    ['in how the values are divided', { projects: ['a', ''] }, 'everything'],
  ])('differ %s', (_what, filters, visibility) => {
    expect(searchFor(filters, visibility).key).not.toBe(searchFor({ projects: ['a'] }, 'everything').key);
  });
});
