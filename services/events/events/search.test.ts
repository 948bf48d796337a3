import { describe, expect, test } from 'vitest';
import { countersOf, type Filters, searchFor } from './search.ts';
import type { Visibility } from './visibility.ts';

const noPeople: Visibility = { ofPeopleIn: [] };

describe('the total', () => {
  test.each<[string, Filters, ReturnType<typeof countersOf>]>([
    ['no filter', {}, { kind: 'total', names: [''] }],
    ['a type', { types: ['feature-created'] }, { kind: 'type', names: ['feature-created'] }],
    ['a type twice', { types: ['role-created', 'role-created'] }, { kind: 'type', names: ['role-created'] }],
    ['two projects', { projects: ['b', 'a'] }, { kind: 'project', names: ['a', 'b'] }],
    ['a flag with an empty query', { features: ['a'], query: '' }, { kind: 'feature', names: ['a'] }],
    ['two filters', { features: ['a'], projects: ['default'] }, null],
    ['free text', { query: 'a' }, null],
    ['a filter without a counter', { createdBy: [1] }, null],
  ])('of %s comes from the counters if they have it', (_what, filters, counters) => {
    expect(countersOf(searchFor(filters, 'everything'))).toEqual(counters);
  });

  test('is counted for a caller who may not see all events, unless the filter excludes hidden ones', () => {
    expect(countersOf(searchFor({}, noPeople))).toBe(null);
    expect(countersOf(searchFor({ types: ['feature-created', 'user-created'] }, noPeople))).toBe(null);
    expect(countersOf(searchFor({ types: ['feature-created'] }, noPeople))).not.toBe(null);
  });
});

describe('searches that find the same', () => {
  test('have one key', () => {
    const key = searchFor({ types: ['tag-created', 'tag-deleted'], query: 'a' }, noPeople).key;
    expect(searchFor({ query: 'a', types: ['tag-deleted', 'tag-created'], from: undefined }, 'everything').key).toBe(
      key,
    );
  });

  test.each<[string, Filters, Visibility]>([
    ['in a value', { projects: ['b'] }, 'everything'],
    ['in the filter that has the value', { features: ['a'] }, 'everything'],
    ['in visibility', { projects: ['a'] }, noPeople],
    ['in the projects with visible events of people', { projects: ['a'] }, { ofPeopleIn: ['a'] }],
    ['in the number of values', { projects: ['a', ''] }, 'everything'],
  ])('differ %s', (_what, filters, visibility) => {
    expect(searchFor(filters, visibility).key).not.toBe(searchFor({ projects: ['a'] }, 'everything').key);
  });
});
