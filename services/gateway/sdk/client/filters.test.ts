import { expect, test } from 'vitest';
import { filtersQuery } from './filters.ts';

const messageOf = (query: object) => filtersQuery.safeParse(query).error?.issues.map(({ message }) => message);
const names = (length: number) => Array.from({ length }, (_, index) => `name-${index}`);
const tags = (length: number) => names(length).map((name) => `simple:${name}`);

test('a filter may have a hundred projects, and no more', () => {
  expect(messageOf({ project: names(100) })).toBeUndefined();
  expect(messageOf({ project: names(101) })).toEqual(['should be at most 100 projects']);
});

test('a filter may have a hundred tags in both forms together', () => {
  expect(messageOf({ tag: tags(60), 'tag[]': tags(40) })).toBeUndefined();
  expect(messageOf({ tag: tags(60), 'tag[]': tags(41) })).toEqual(['should be at most 100 tags, with those of tag[]']);
});
