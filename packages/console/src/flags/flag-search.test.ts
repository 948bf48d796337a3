import { expect, test } from 'vitest';
import { parseFlagSearch, toFilters } from './flag-search.ts';

test('what a list is narrowed to is in its address, as the search of the API takes it', () => {
  const search = parseFlagSearch({ createdBy: 7, favorite: true, tag: 'team:a', q: '', colour: 'red' });
  expect(search).toEqual({ createdBy: '7', favorite: 'true', tag: 'team:a', q: '' });
  expect(toFilters(search, 'shop')).toEqual({
    ...{ createdBy: 'IS:7', favorite: 'IS:true', tag: 'INCLUDE:team:a', project: 'IS:shop' },
  });
});
