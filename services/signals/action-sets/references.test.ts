import type { Actor, Grant } from '@yardarm/shared/contracts';
import type { VersionedFeature } from '@yardarm/shared/contracts/flags';
import { newActionSetSchema } from '@yardarm/shared/contracts/signals';
import { expect, it } from 'vitest';
import { makeActionSet } from '../testing/action-set.ts';
import { featureNamesOf, type References, referenceErrors } from './references.ts';

type Sent = ReturnType<typeof makeActionSet>;
type Params = Record<string, string | number>;

const toggle = { project: 'shop', environment: 'production', featureName: 'checkout' };
const setOf = (...actions: [Sent['actions'][number]['action'], Params][]) =>
  newActionSetSchema.parse(
    makeActionSet(2, {
      actions: actions.map(([action, executionParams], index) => ({ action, sortOrder: index + 1, executionParams })),
    }),
  );

const robot = (...grants: Grant[]): Actor => ({ kind: 'service-account', id: 41, username: 'robot', grants });
const flagWith = (archived: boolean, strategies: Record<string, string[]>) =>
  ({
    archived,
    environments: Object.entries(strategies).map(([name, ids]) => ({ name, strategies: ids.map((id) => ({ id })) })),
  }) as VersionedFeature;

const known: References = {
  projectId: 'shop',
  environments: ['development', 'production'],
  features: new Map([
    ['checkout', flagWith(false, { development: ['one'], production: ['two'] })],
    ['old', flagWith(true, {})],
  ]),
  actor: robot({
    permissions: ['UPDATE_FEATURE', 'UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_STRATEGY'],
    projects: ['shop'],
  }),
};

const messagesOf = (set: ReturnType<typeof setOf>, over: Partial<References> = {}) =>
  [...referenceErrors(set, { ...known, ...over }, [])].map(({ message }) => message);

it('accepts what exists', () => {
  const set = setOf(
    ['TOGGLE_FEATURE_ON', toggle],
    ['MARK_STALE', { project: 'shop', featureName: 'checkout' }],
    ['ENABLE_STRATEGY', { ...toggle, strategyId: 'two' }],
    ['ENABLE_STRATEGY', { ...toggle, environment: '{{payload.e}}', strategyId: 'one' }],
    ['TOGGLE_FEATURES_ON_BY_TAG', { project: 'shop', environment: 'development', tag: 'simple:beta' }],
  );
  expect(messagesOf(set)).toEqual([]);
});

it.each<[string, Sent['actions'][number]['action'], Params, string]>([
  [
    'an environment that the project does not have',
    ...(['TOGGLE_FEATURE_ON', { ...toggle, environment: 'staging' }] as const),
    'The .actions[0].executionParams.environment property should be an environment of the project "shop". You sent "staging".',
  ],
  [
    'an unknown flag',
    ...(['TOGGLE_FEATURE_ON', { ...toggle, featureName: 'unknown' }] as const),
    'The .actions[0].executionParams.featureName property should be a flag of the project "shop" that is not archived. You sent "unknown".',
  ],
  [
    'an archived flag',
    ...(['MARK_STALE', { project: 'shop', featureName: 'old' }] as const),
    'The .actions[0].executionParams.featureName property should be a flag of the project "shop" that is not archived. You sent "old".',
  ],
  [
    'a strategy of another environment',
    ...(['DISABLE_STRATEGY', { ...toggle, strategyId: 'one' }] as const),
    'The .actions[0].executionParams.strategyId property should be the id of a strategy of the flag in the environment "production". You sent "one".',
  ],
])('refuses %s', (_, action, params, message) => {
  expect(messagesOf(setOf([action, params]))).toEqual([message]);
});

it('looks up nothing that depends on the payload', () => {
  const paths = Object.fromEntries(
    ['project', 'environment', 'featureName', 'strategyId'].map((name) => [name, `{{payload.${name}}}`]),
  );
  const set = setOf(['ENABLE_STRATEGY', paths]);
  expect(featureNamesOf(set)).toEqual([]);
  expect(messagesOf(set)).toEqual([]);
  expect(featureNamesOf(setOf(['TOGGLE_FEATURE_ON', toggle], ['TOGGLE_FEATURE_OFF', toggle]))).toEqual(['checkout']);
});

it('refuses an actor that does not exist', () => {
  expect(messagesOf(setOf(['TOGGLE_FEATURE_ON', toggle]), { actor: null })).toEqual([
    'The .actorId property should be the id of a service account. You sent 41.',
  ]);
});

it.each<[Grant[], string[]]>([
  [[{ permissions: ['ADMIN'] }], []],
  [[{ permissions: ['UPDATE_FEATURE_ENVIRONMENT'] }], ['MARK_STALE', 'SET_ROLLOUT']],
  [
    [{ permissions: ['UPDATE_FEATURE_ENVIRONMENT'], projects: ['shop'], environment: 'development' }],
    ['TOGGLE_FEATURE_OFF', 'MARK_STALE', 'SET_ROLLOUT'],
  ],
  [
    [{ permissions: ['UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE'], projects: ['other'] }],
    ['TOGGLE_FEATURE_ON', 'TOGGLE_FEATURE_OFF', 'MARK_STALE', 'SET_ROLLOUT'],
  ],
  [
    [
      { permissions: ['UPDATE_FEATURE_STRATEGY'], projects: ['shop'], environment: 'production' },
      { permissions: ['UPDATE_FEATURE'], projects: ['shop'] },
    ],
    ['TOGGLE_FEATURE_ON', 'TOGGLE_FEATURE_OFF'],
  ],
])('with the grants %j refuses the actions %j', (grants, refused) => {
  const set = setOf(
    // With an environment of the payload, one environment with the permission is enough.
    ['TOGGLE_FEATURE_ON', { ...toggle, environment: '{{payload.environment}}' }],
    ['TOGGLE_FEATURE_OFF', toggle],
    ['MARK_STALE', { project: 'shop', featureName: 'checkout' }],
    ['SET_ROLLOUT', { ...toggle, rollout: 50 }],
  );
  const messages = messagesOf(set, { actor: robot(...grants) });
  expect(messages.map((message) => /which (\w+) needs/.exec(message)?.[1])).toEqual(refused);
});

it('names the permission, the project and the environment that the actor lacks', () => {
  expect(messagesOf(setOf(['TOGGLE_FEATURE_ON', toggle]), { actor: robot() })).toEqual([
    'The .actorId property should be a service account with the permission UPDATE_FEATURE_ENVIRONMENT in the project "shop" in the environment "production", which TOGGLE_FEATURE_ON needs. You sent 41.',
  ]);
});
