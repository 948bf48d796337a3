import { expect, it } from 'vitest';
import { eventsWords, placesWords } from './filter-words.ts';

it('says which events', () => {
  expect(eventsWords([])).toBe('no event');
  expect(eventsWords(['*', 'feature-created'])).toBe('every event');
  expect(eventsWords(['feature-created'])).toBe('events “Flag created”');
  expect(eventsWords(['feature-*'])).toBe('events feature-*');
  expect(eventsWords(['feature-created', 'feature-archived'])).toBe('2 types of events');
});

it('says which projects', () => {
  expect(placesWords([], 'projects')).toBe('all projects');
  expect(placesWords(['*'], 'projects')).toBe('all projects');
  expect(placesWords(['a', 'b'], 'projects')).toBe('a, b');
  expect(placesWords(['a', 'b', 'c', 'd'], 'projects')).toBe('4 projects');
});
