import { newActionSetSchema } from '@yardarm/shared/contracts/signals';
import { describe, expect, it } from 'vitest';
import { makeActionSet } from '../testing/action-set.ts';
import { actionSetErrors } from './check-action-set.ts';

const limits = { setsPerProject: 5, filters: 5, filterValues: 25, actions: 10 };

type Sent = ReturnType<typeof makeActionSet>;
type Params = Record<string, string | number | boolean>;

const errorsOf = (over: Partial<Sent>, path: string[] = []) => [
  ...actionSetErrors('default', newActionSetSchema.parse(makeActionSet(2, over)), limits, path),
];
const messagesOf = (over: Partial<Sent>) => errorsOf(over).map(({ message }) => message);

const filters = (payload: Sent['match']['payload']) => ({
  match: { source: 'signal-endpoint' as const, sourceId: 2, payload },
});
const toggle = { project: 'default', environment: 'production', featureName: 'checkout' };
const action = (name: Sent['actions'][number]['action'], executionParams: Params, sortOrder = 1) => ({
  actions: [{ action: name, sortOrder, executionParams }],
});
const texts = (count: number) => Array.from({ length: count }, (_, index) => `text-${index}`);

it('accepts a set within the limits', () => {
  const full = {
    ...filters(
      Object.fromEntries(texts(5).map((name) => [name, { operator: 'IN' as const, values: [...texts(25), 'text-1'] }])),
    ),
    actions: texts(10).map((_, index) => ({
      ...{ action: 'TOGGLE_FEATURE_OFF' as const, sortOrder: 10 - index, executionParams: toggle },
    })),
  };
  expect(messagesOf(full)).toEqual([]);
});

describe('filters', () => {
  it.each<[string, Sent['match']['payload'], string]>([
    [
      'six filters',
      Object.fromEntries(texts(6).map((name) => [name, { operator: 'IN', values: [] }])),
      'The .match.payload property should have at most 5 filters. You sent 6.',
    ],
    [
      'twenty-six values',
      { 'labels.a': { operator: 'IN', values: texts(26) } },
      'The .match.payload.labels.a.values property should have at most 25 distinct items. You sent 26.',
    ],
    [
      'a text where a number belongs',
      { a: { operator: 'NUM_GT', value: 'high' } },
      'The .match.payload.a.value property should be a number. You sent "high".',
    ],
    [
      'a value where a list belongs',
      { a: { operator: 'STR_CONTAINS', value: 'x' } },
      'The .match.payload.a.values property should be a list for STR_CONTAINS. You sent undefined.',
    ],
    [
      'a pattern that is not RE2',
      { a: { operator: 'REGEX', value: '(?=a)' } },
      'The .match.payload.a.value property should be a pattern in RE2 syntax that repeats at most 500 times, has few large classes such as \\p{L}, and compiles to at most 1000 instructions. You sent "(?=a)".',
    ],
    [
      'a path with too many parts',
      { ['a.'.repeat(32)]: { operator: 'IN', values: ['x'] } },
      expect.stringContaining('has a name that should have at most 32 parts'),
    ],
  ])('refuse %s', (_, payload, message) => {
    expect(messagesOf(filters(payload))).toEqual([message]);
  });
});

describe('actions', () => {
  it.each<[string, Partial<Sent>, unknown]>([
    [
      'another project',
      action('MARK_STALE', { project: 'other', featureName: 'checkout' }),
      'The .actions[0].executionParams.project property should be the project of the action set, "default". You sent "other".',
    ],
    [
      'a missing parameter',
      action('MARK_STALE', { project: 'default' }),
      'The .actions[0].executionParams.featureName property is required. You sent undefined.',
    ],
    [
      'a parameter that the action does not have',
      action('MARK_STALE', { project: 'default', featureName: 'checkout', constructor: 'x' }),
      'The .actions[0].executionParams.constructor property is no parameter of MARK_STALE. You sent "x".',
    ],
    [
      'an empty parameter',
      action('SET_ROLLOUT', { ...toggle, rollout: ' ' }),
      'The .actions[0].executionParams.rollout property should not be empty. You sent " ".',
    ],
    [
      'a rollout beyond 100',
      action('SET_ROLLOUT', { ...toggle, rollout: 101 }),
      'The .actions[0].executionParams.rollout property should be 0 to 100. You sent 101.',
    ],
    [
      'a tag without a type',
      action('TOGGLE_FEATURES_ON_BY_TAG', { project: 'default', environment: 'production', tag: 'beta' }),
      expect.stringMatching(/^The \.actions\[0\]\.executionParams\.tag property should be a tag type/),
    ],
    [
      'a flag name that no flag has',
      action('TOGGLE_FEATURE_ON', { ...toggle, featureName: 'a/b' }),
      expect.stringMatching(/^The \.actions\[0\]\.executionParams\.featureName property should be URL friendly/),
    ],
    [
      'an expression that is no payload path',
      action('TOGGLE_FEATURE_ON', { ...toggle, featureName: '{{#payload.flags}}' }),
      expect.stringContaining('.featureName property should hold payload paths of the form'),
    ],
  ])('refuse %s', (_, over, message) => {
    expect(messagesOf(over)).toEqual([message]);
  });

  it('accept payload paths in every parameter', () => {
    const executionParams = Object.fromEntries(
      ['project', 'environment', 'featureName', 'rollout', 'strategyId'].map((name) => [name, `{{payload.${name}}}`]),
    );
    expect(messagesOf(action('SET_ROLLOUT', executionParams))).toEqual([]);
  });

  it('refuse a sort order that is there twice, and an eleventh action', () => {
    const [one] = makeActionSet(2).actions;
    expect(messagesOf({ actions: [one!, { ...one!, sortOrder: 2 }, one!] })).toEqual([
      'The .actions[2].sortOrder property should be that of no other action of the set. You sent 1.',
    ]);
    expect(messagesOf({ actions: texts(11).map((_, index) => ({ ...one!, sortOrder: index + 1 })) })).toEqual([
      'The .actions property should have at most 10 items. You sent 11.',
    ]);
  });
});

it('refuses a set that is too large for its events', () => {
  const values = texts(100).map((text) => text.padEnd(1000, '漢'));
  const payload = Object.fromEntries(texts(2).map((name) => [name, { operator: 'IN' as const, values }]));
  const set = newActionSetSchema.parse(makeActionSet(2, filters(payload)));
  const [error] = actionSetErrors('default', set, { ...limits, filterValues: 100 }, []);
  expect(error).toMatchObject({ code: 'limit-exceeded', message: expect.stringMatching(/at most 400000\.$/) });
});

it('names the property of the request that is the set', () => {
  const [error] = errorsOf(action('MARK_STALE', { project: 'default' }), ['actionSet']);
  expect(error?.message).toContain('The .actionSet.actions[0].executionParams.featureName property');
});

describe('newActionSetSchema', () => {
  const refused = (over: object) =>
    newActionSetSchema.safeParse({ ...makeActionSet(2), ...over }).error?.issues.map(({ path }) => path.join('.'));

  it('refuses the filter and the parameter __proto__, which a record would drop', () => {
    const payload = JSON.parse('{"__proto__":{"operator":"IN","values":["x"]}}');
    expect(refused(filters(payload))).toEqual(['match.payload.__proto__']);
    const executionParams = JSON.parse('{"__proto__":"x"}');
    expect(refused(action('MARK_STALE', executionParams))).toEqual(['actions.0.executionParams.__proto__']);
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ actorId: 0 }, 'actorId'],
    [{ actorId: 2 ** 31 }, 'actorId'],
    [{ cooldownSeconds: -1 }, 'cooldownSeconds'],
    [{ cooldownSeconds: 86_401 }, 'cooldownSeconds'],
    [{ actions: [] }, 'actions'],
    [{ colour: 'red' }, ''],
    [action('MARK_STALE', {}, 2 ** 31), 'actions.0.sortOrder'],
    [{ match: { source: 'other', sourceId: 2, payload: {} } }, 'match.source'],
    [{ match: { source: 'signal-endpoint', sourceId: 2, payload: {}, other: 1 } }, 'match'],
    [filters({ '': { operator: 'IN', values: [] } }), 'match.payload.'],
    [filters({ ['x'.repeat(501)]: { operator: 'IN', values: [] } }), `match.payload.${'x'.repeat(501)}`],
  ])('refuses %j', (over, path) => {
    expect(refused(over)).toEqual([path]);
  });
});
