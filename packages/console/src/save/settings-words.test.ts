import { expect, test } from 'vitest';
import { settingsChanged } from './settings-words.ts';

test('a setting that changed is a sentence from old to new', () => {
  const before = { description: null, defaultStickiness: 'default', featureLimit: 5, enabled: true };
  const now = { description: 'Theirs', defaultStickiness: 'userId', featureLimit: null, enabled: true };
  expect(settingsChanged(before, now)).toEqual([
    'The description: none → “Theirs”.',
    'The default stickiness: “default” → “userId”.',
    'The feature limit: 5 → none.',
  ]);
});

test('a list of texts is said, and one of other things is only named', () => {
  expect(settingsChanged({ origins: [], members: [1] }, { origins: ['a', 'b'], members: [1, 2] })).toEqual([
    'The origins: none → “a” and “b”.',
    'The members changed.',
  ]);
});

test('an id is only named', () => {
  expect(settingsChanged({ rootRole: 2, actorId: 7 }, { rootRole: 3, actorId: 7 })).toEqual(['The root role changed.']);
});

test('a form of one value has no property to name', () => {
  expect(settingsChanged(40, 7)).toEqual(['It: 40 → 7.']);
  expect(settingsChanged([1], [2])).toEqual(['It changed.']);
});
