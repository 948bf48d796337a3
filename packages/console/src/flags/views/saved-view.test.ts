import { expect, test } from 'vitest';
import { parseFlagSearch } from '../flag-search.ts';
import { filtersText, isChanged, linkToView, type SavedView, viewsOn } from './saved-view.ts';

const view = (query: string, project: string | null = null): SavedView => ({
  ...{ id: 7, name: 'Stale', createdAt: '2026-01-31T12:00:00.000Z', query, project },
});

test.each([
  ['the same filters in another order', 'state=stale&q=a+b', { q: 'a b', state: 'stale' }, false],
  ['a filter that this console does not know', 'state=stale&colour=red', { state: 'stale' }, false],
  ['another value', 'state=stale', { state: 'active' }, true],
  ['one filter more', 'state=stale', { state: 'stale', type: 'release' }, true],
  ['no filter', 'state=stale', {}, true],
] as const)('whether a view is changed by %s', (_, query, search, changed) => {
  expect(isChanged(view(query), { ...search, view: 7 })).toBe(changed);
});

test('what is saved of an address leads back to it', () => {
  const search = parseFlagSearch({ q: 'ä & b=c #1', status: 'production:enabled', tag: 'team:a+b', view: 3 });
  const saved = view(filtersText(search), 'shop');
  expect(saved.query).not.toContain('view');
  expect(linkToView(saved)).toEqual({
    ...{ to: '/projects/$projectId', params: { projectId: 'shop' } },
    search: { ...search, view: 7 },
  });
});

test('the page of a project offers its own views, and that of all projects every one', () => {
  const views = [view(''), view('', 'shop'), view('', 'other')];
  expect(viewsOn(views, 'shop')).toEqual([views[1]]);
  expect(viewsOn(views, null)).toEqual(views);
});
