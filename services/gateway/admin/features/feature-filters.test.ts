import { describe, expect, it } from 'vitest';
import { featureFilters, toSearch } from './feature-filters.ts';

const searchOf = (query: Record<string, unknown>) => toSearch(featureFilters.parse(query));
const standard = { offset: 0, limit: 50, favoritesFirst: false, targeting: false };

describe('toSearch', () => {
  it.each<[Record<string, unknown>, object]>([
    [{}, {}],
    [{ unknown: 'x' }, {}],
    [{ query: 'a, b,' }, { texts: ['a', 'b'] }],
    [{ project: 'IS:default' }, { project: { isNegated: false, values: ['default'] } }],
    [{ type: 'IS_NONE_OF:release,experiment' }, { type: { isNegated: true, values: ['release', 'experiment'] } }],
    [
      { tag: 'INCLUDE_ALL_OF:simple:a b, team:x:y' },
      {
        tag: {
          ...{ isNegated: false, match: 'all' },
          values: [
            { type: 'simple', value: 'a b' },
            { type: 'team', value: 'x:y' },
          ],
        },
      },
    ],
    [{ segment: 'DO_NOT_INCLUDE:beta' }, { segment: { isNegated: true, match: 'any', values: ['beta'] } }],
    [
      { status: 'dev:enabled', 'status[]': ['prod:disabled', 'odd'] },
      {
        status: [
          { environment: 'dev', enabled: true },
          { environment: 'prod', enabled: false },
        ],
      },
    ],
    [{ archived: 'IS:true', favorite: 'IS_ANY_OF:true,false' }, { archived: true }],
    [{ createdAt: 'IS_BEFORE:2026-01-31' }, { createdAt: { operator: 'before', day: '2026-01-31' } }],
    [
      { sortBy: 'name', sortOrder: 'desc' },
      { sortBy: 'name', sortOrder: 'desc' },
    ],
    [{ sortBy: 'environment:production' }, { sortBy: 'environment', sortEnvironment: 'production' }],
    [{ sortBy: 'nonsense', favoritesFirst: 'true' }, { favoritesFirst: true }],
    [{ targeting: 'true' }, { targeting: true }],
    [{ limit: 'abc', offset: '-1' }, {}],
    [
      { limit: '5000', offset: '20' },
      { limit: 1000, offset: 20 },
    ],
    [{ limit: '0' }, {}],
  ])('maps %j', (query, search) => {
    expect(searchOf(query)).toEqual({ ...standard, ...search });
  });

  it.each([
    { project: 'default' },
    { tag: 'INCLUDE:simple' },
    { createdAt: 'IS_BEFORE:2026-02-31' },
    // Postgres has no year 0.
    { createdAt: 'IS_BEFORE:0000-01-01' },
    { archived: 'IS:maybe' },
    { sortOrder: 'sideways' },
    { state: 'INCLUDE:stale' },
  ])('refuses %j', (query) => {
    expect(featureFilters.safeParse(query).success).toBe(false);
  });
});
