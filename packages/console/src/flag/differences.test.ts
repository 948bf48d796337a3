import { expect, it } from 'vitest';
import type { Strategy } from '../save/change.ts';
import { differencesInWords } from './differences.ts';

const strategy = (rollout: string, change: Partial<Strategy> = {}): Strategy => ({
  ...{ id: rollout, name: 'flexibleRollout', title: null, disabled: false, featureName: 'checkout', sortOrder: 0 },
  ...{ segments: [], constraints: [], variants: [], parameters: { rollout, groupId: 'checkout' } },
  ...change,
});
const environment = (name: string, enabled: boolean, ...strategies: Strategy[]) => ({
  ...{ name, enabled, strategies, variants: [] },
});
const differences = ([isOn, ...before]: [boolean, ...Strategy[]], [isOnThen, ...after]: [boolean, ...Strategy[]]) =>
  differencesInWords([environment('development', isOn, ...before), environment('production', isOnThen, ...after)]);

const bare = environment('development', true);
const blue = { name: 'blue', weight: 1000 };

it.each<[string, string[], string]>([
  [
    'equal',
    differences([true, strategy('100')], [true, strategy('100', { id: 'b' })]),
    'production is as development.',
  ],
  [
    'another share',
    differences([true, strategy('100')], [true, strategy('25')]),
    'production differs from development: 25 % instead of everybody.',
  ],
  [
    'off',
    differences([true, strategy('100')], [false, strategy('100')]),
    'production differs from development: off instead of on.',
  ],
  [
    'more and fewer strategies',
    differences([true, strategy('100'), strategy('5')], [true]),
    'production differs from development: it lacks “everybody” and “5 %”.',
  ],
  [
    'a detail that the words of a strategy leave out',
    differences([true, strategy('25')], [true, strategy('25', { parameters: { rollout: '25', groupId: 'other' } })]),
    'production differs from development: the group: “checkout” → “other”.',
  ],
  [
    'another order',
    differences([true, strategy('25'), strategy('5')], [true, strategy('5'), strategy('25')]),
    'production differs from development: the strategies are in another order.',
  ],
  [
    'a disabled strategy, which has no effect',
    differences([true, strategy('25')], [true, strategy('25'), strategy('5', { disabled: true })]),
    'production is as development.',
  ],
  [
    'other variants',
    differencesInWords([bare, { ...environment('production', true), variants: [blue] }]),
    'production differs from development: the variants blue 100 % instead of none.',
  ],
  [
    'another payload of a variant',
    differencesInWords([
      { ...bare, variants: [blue] },
      { ...environment('production', true), variants: [{ ...blue, payload: { type: 'string', value: 'sky' } }] },
    ]),
    'production differs from development: the payload of the variant blue: none → “sky” (string).',
  ],
])('environments that are %s', (_, sentences, expected) => {
  expect(sentences).toEqual([expected]);
});
