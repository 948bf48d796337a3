import { expect, test } from 'vitest';
import {
  type ActionSet,
  bodyOf,
  type Definitions,
  draftOf,
  emptyDraft,
  moved,
  newFilter,
  repeatedParameter,
} from './draft.ts';

const parameter = (name: string, type: 'select' | 'hidden' = 'select') => ({
  ...{ name, label: name, type, optional: false },
});
const definition = (...names: string[]) => ({
  ...{ label: '', description: '', category: '', permissions: [] },
  parameters: [parameter('project', 'hidden'), ...names.map((name) => parameter(name))],
});
const definitions = {
  TOGGLE_FEATURE_OFF: definition('environment', 'featureName'),
  SET_ROLLOUT: definition('environment', 'featureName', 'rollout', 'strategyId'),
} as unknown as Definitions;

const set: ActionSet = {
  ...{ id: 3, project: 'shop', name: 'Off at an alert', description: null, actorId: 12, enabled: false },
  ...{ cooldownSeconds: 60, createdAt: '2026-01-31T12:00:00.000Z', createdByUserId: 1 },
  match: {
    ...{ source: 'signal-endpoint', sourceId: 2 },
    payload: {
      'labels.severity': { operator: 'IN', values: ['critical'], inverted: false, caseInsensitive: false },
      'alerts[0].value': { operator: 'NUM_GT', value: '90', inverted: true, caseInsensitive: false },
    },
  },
  actions: [
    {
      ...{ id: 8, action: 'SET_ROLLOUT', sortOrder: 2, createdAt: '', createdByUserId: 1 },
      executionParams: { project: 'shop', environment: 'production', featureName: '{{payload.flag}}', rollout: 10 },
    },
    {
      ...{ id: 7, action: 'TOGGLE_FEATURE_OFF', sortOrder: 1, createdAt: '', createdByUserId: 1 },
      executionParams: { project: 'shop', environment: 'production', featureName: 'checkout' },
    },
  ],
};

test('a set that is edited and not changed is sent as it was', () => {
  expect(bodyOf(draftOf(set), 'shop', definitions)).toEqual({
    ...{ name: 'Off at an alert', description: null, actorId: 12, enabled: false, cooldownSeconds: 60 },
    match: set.match,
    actions: [
      {
        ...{ action: 'TOGGLE_FEATURE_OFF', sortOrder: 1 },
        executionParams: { project: 'shop', environment: 'production', featureName: 'checkout' },
      },
      {
        ...{ action: 'SET_ROLLOUT', sortOrder: 2 },
        executionParams: { project: 'shop', environment: 'production', featureName: '{{payload.flag}}', rollout: '10' },
      },
    ],
  });
});

test('what was not typed is not sent, and a parameter of another action neither', () => {
  const draft = emptyDraft('2');
  const actions = [{ ...draft.actions[0]!, parameters: { environment: ' ', rollout: '10' } }];
  const body = bodyOf({ ...draft, actions }, 'shop', definitions);
  expect(body).not.toHaveProperty('actorId');
  expect(body.actions[0]?.executionParams).toEqual({ project: 'shop' });
});

test('a parameter that two filters name is found', () => {
  const filter = { ...newFilter(), contextName: 'status' };
  expect(repeatedParameter([filter, { ...filter, contextName: 'labels.status' }])).toBeNull();
  expect(repeatedParameter([filter, { ...filter, contextName: ' status' }])).toBe('status');
});

test('an item is moved up and down', () => {
  expect(moved(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
});
