import { eventTypes, eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import { expect, it } from 'vitest';
import { eventGroups, foundIn, patternsIn } from './event-groups.ts';

it('each type is in one group, a suggested one in the first', () => {
  const groups = eventGroups(['feature-created', 'segment-created']);
  expect(groups[0]).toMatchObject({
    title: 'Suggested',
    types: [{ type: 'feature-created' }, { type: 'segment-created' }],
  });
  const types = groups.flatMap((group) => group.types.map(({ type }) => type));
  expect(types.toSorted()).toEqual([...eventTypes].sort());
});

it('each title has types of its own, and the titles of flags come first', () => {
  const groups = eventGroups([]).filter(({ title }) => title !== 'Suggested');
  expect(groups.filter(({ types }) => types.length === 0)).toEqual([]);
  expect(groups[0]?.title).toBe('Flags');
});

it('the types of people are a group of their own', () => {
  const groups = eventGroups([]).filter(({ isOfPeople }) => isOfPeople);
  expect(groups.map(({ types }) => types.map(({ type }) => type).toSorted())).toEqual([eventTypesOfPeople.toSorted()]);
});

it('a search finds by label and by type, and leaves out empty groups', () => {
  const found = foundIn(eventGroups([]), ' Segment-Created ');
  expect(found.map(({ types }) => types.map(({ type }) => type))).toEqual([['segment-created']]);
});

it('what is no type is a pattern', () => {
  expect(patternsIn(['feature-created', 'feature-*', '*', 'of-another-version'])).toEqual([
    'feature-*',
    '*',
    'of-another-version',
  ]);
});

it('a type that nothing emits says what is sent in its place', () => {
  const labels = eventGroups([]).flatMap(({ types }) => types.map(({ type, label }) => [type, label]));
  expect(Object.fromEntries(labels)['feature-updated']).toMatch(/ \(sends: Flag metadata updated\)$/);
});
