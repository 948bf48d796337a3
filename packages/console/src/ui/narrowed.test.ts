import { expect, it } from 'vitest';
import { narrowed } from './narrowed.ts';

it.each([
  ['a chosen filter is a step of the history', { q: 'a' }, { q: 'a', state: 'stale' }, false],
  ['a filter that is given up is one too', { state: 'stale' }, {}, false],
  ['typed words replace the step', { q: 'a', state: 'stale' }, { q: 'ab', state: 'stale' }, true],
  ['days replace the step', {}, { from: '0002-01-01' }, true],
  ['a view that was saved replaces the step', { state: 'stale' }, { state: 'stale', view: 1 }, true],
])('%s', (_title, before, search, replace) => {
  expect(narrowed(before, search)).toEqual({ search, replace });
});
