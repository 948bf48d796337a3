import { expect, it } from 'vitest';
import { destinationWords, eventsWords, filterWords, placesWords } from './filter-words.ts';

it('says which events', () => {
  expect(eventsWords([])).toBe('no event');
  expect(eventsWords(['*', 'feature-created'])).toBe('every event');
  expect(eventsWords(['feature-created'])).toBe('events “Flag created”');
  expect(eventsWords(['feature-*'])).toBe('events feature-*');
  const two = ['feature-created', 'feature-archived'];
  expect(eventsWords(two)).toBe('events “Flag created” and “Flag archived”');
  expect(eventsWords([...two, 'feature-*', 'feature-revived'])).toBe(
    'events “Flag created”, “Flag archived”, and 2 other types',
  );
});

it('says which projects', () => {
  expect(placesWords([], 'projects')).toBe('all projects');
  expect(placesWords(['*'], 'projects')).toBe('all projects');
  expect(placesWords(['a', 'b'], 'projects')).toBe('a, b');
  expect(placesWords(['a', 'b', 'c', 'd'], 'projects')).toBe('4 projects');
});

it('says what an integration is sent', () => {
  expect(filterWords({ events: ['*'], projects: ['shop'], environments: [] })).toBe(
    'Gets every event of shop, in all environments.',
  );
});

it('says where an integration sends to, unless that is masked', () => {
  expect(destinationWords({ parameters: { url: 'https://api.datadoghq.eu/api/v1/events' } })).toBe(
    'Sends to api.datadoghq.eu.',
  );
  expect(destinationWords({ parameters: { defaultChannels: 'ops, C0123' } })).toBe('Sends to ops, C0123.');
  expect(destinationWords({ parameters: { url: '*****' } })).toBeNull();
});
