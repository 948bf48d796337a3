import { expect, it } from 'vitest';
import { targetingInWords } from './targeting-words.ts';

const strategy = {
  ...{ name: 'flexibleRollout', title: null, rollout: '25', segmentCount: 0, constraintCount: 0 },
  constraints: [],
};
const country = { contextName: 'country', operator: 'IN' as const, inverted: false, valueCount: 1, values: ['NO'] };

it.each([
  ['nobody without strategies', [], 0, ''],
  ['a part of all', [strategy], 1, '25 %'],
  ['everybody', [{ ...strategy, rollout: '100' }], 1, 'everybody'],
  ['a title of its own', [{ ...strategy, title: 'Nordic beta' }], 1, 'Nordic beta'],
  ['a condition', [{ ...strategy, constraintCount: 1, constraints: [country] }], 1, '25 % where country is NO'],
  [
    'many values and conditions',
    [
      {
        ...{ ...strategy, segmentCount: 1, constraintCount: 3 },
        constraints: [{ ...country, inverted: true, valueCount: 7, values: ['NO', 'SE', 'DK'] }],
      },
    ],
    1,
    '25 % where country is not NO or SE or DK or 4 more and 3 more',
  ],
  ['segments alone', [{ ...strategy, segmentCount: 2 }], 1, '25 % where 2 conditions'],
  ['several strategies', [strategy, { ...strategy, rollout: '100' }], 5, '25 %; everybody; 3 more'],
])('says %s', (_title, strategies, strategyCount, words) => {
  expect(targetingInWords({ strategyCount, strategies })).toBe(words);
});
