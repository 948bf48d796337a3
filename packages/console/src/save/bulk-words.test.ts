import { expect, test } from 'vitest';
import type { BulkAction } from './bulk-action.ts';
import { describeBulkAction, describeBulkDone, describeOneSwitch } from './bulk-words.ts';

test.each<[BulkAction, number, string, string]>([
  [
    { kind: 'switch', environment: 'production', isOn: true },
    3,
    'switches 3 flags on in production',
    'Switched 3 flags on in production.',
  ],
  [{ kind: 'stale', isStale: false }, 1, 'marks one flag as no longer stale', 'Marked one flag as no longer stale.'],
  [{ kind: 'tag', tag: null }, 2, 'adds a tag to 2 flags', 'Added a tag to 2 flags.'],
])('says what %o does to several flags, and what it has done', (action, count, does, done) => {
  expect(describeBulkAction(action, count)).toBe(does);
  expect(describeBulkDone(action, count)).toBe(done);
});

const off = { enabled: false, hasStrategies: true, hasEnabledStrategies: true };
const targeting = {
  strategyCount: 1,
  strategies: [
    { name: 'flexibleRollout', title: null, rollout: '25', constraints: [], constraintCount: 0, segmentCount: 0 },
  ],
};

test.each([
  [off, true, 'for whom its strategies name'],
  [{ ...off, targeting }, true, 'for 25 %'],
  [{ ...off, enabled: true, targeting }, false, 'on for 25 % so far'],
  [{ ...off, enabled: true, targeting }, true, 'on already'],
  [off, false, 'off already'],
  [
    { ...off, hasStrategies: false, hasEnabledStrategies: false },
    true,
    'gets the default strategy, because it has none that is in use',
  ],
  [{ ...off, hasEnabledStrategies: false }, true, 'gets the default strategy, because it has none that is in use'],
  [{ ...off, enabled: true, hasEnabledStrategies: false }, false, 'on for nobody so far'],
  [undefined, true, 'not in this environment'],
])('says what a switch means for one flag: %o, on: %o', (environment, isOn, words) => {
  expect(describeOneSwitch(environment, isOn)).toBe(words);
});
