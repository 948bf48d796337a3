import * as contracts from '@yardarm/shared/contracts/flags';
import type { FlagsRig } from '../flags-rig.ts';
import {
  anyNumber,
  anyText,
  defaultStrategyData,
  type ExpectedEvent,
  environment,
  flagData,
  ofFlag,
  projectId,
  segmentData,
  strategyData,
  type Write,
  write,
} from './write.ts';

const featureName = 'detailed';
const place = { projectId, featureName, environment };

async function strategiesOf(rig: FlagsRig): Promise<contracts.Strategy[]> {
  return (await rig.ask(contracts.getFeature, { projectId, featureName })).environments.find(
    ({ name }) => name === environment,
  )!.strategies;
}

async function lastStrategy(rig: FlagsRig) {
  return { ...place, strategyId: (await strategiesOf(rig)).at(-1)!.id };
}

async function segmentId(rig: FlagsRig): Promise<number> {
  const { segments } = await rig.ask(contracts.listSegments, {});
  return segments.find(({ name }) => name === 'of strategies')!.id;
}

const named = { name: 'default', title: 'First' };
const first = strategyData(featureName, { title: 'First' });
const second = strategyData(featureName, { title: 'Second' });
const third = strategyData(featureName, { title: 'Third' });
const enabled: ExpectedEvent = { type: 'feature-environment-enabled', environment };
const disabled: ExpectedEvent = { type: 'feature-environment-disabled', environment };

const switchOn = write(contracts.switchEnvironment, { ...place, enabled: true }, ofFlag(featureName, enabled));

/** Adds a strategy again, and switches the flag on by it. */
const onAgain: Write[] = [
  write(
    contracts.switchEnvironment,
    { ...place, enabled: true },
    ofFlag(
      featureName,
      {
        type: 'feature-strategy-add',
        environment,
        data: { ...defaultStrategyData(featureName), sortOrder: anyNumber },
      },
      enabled,
    ),
  ),
];

const changed = (data: Record<string, unknown>, preData: Record<string, unknown>): ExpectedEvent => ({
  ...{ type: 'feature-strategy-update', environment, data, preData },
});

const ofDefault = (changes: Record<string, unknown> = {}) => ({
  ...defaultStrategyData(featureName),
  ...{ sortOrder: anyNumber, ...changes },
});

export const strategyWrites: readonly Write[] = [
  write(
    contracts.createFeature,
    { projectId, name: featureName },
    ofFlag(featureName, { type: 'feature-created', data: flagData(featureName) }),
    'name-exists',
  ),
  write(
    contracts.createSegment,
    { name: 'of strategies', constraints: [] },
    [{ type: 'segment-created', data: segmentData('of strategies') }],
    'name-exists',
  ),
  // The same again adds a second strategy.
  write(
    contracts.addStrategy,
    { ...place, strategy: named },
    ofFlag(featureName, { type: 'feature-strategy-add', environment, data: first }),
    'the same',
  ),
  write(
    contracts.updateStrategy,
    async (rig) => ({ ...(await lastStrategy(rig)), strategy: { title: 'Second' } }),
    ofFlag(featureName, changed({ ...second, sortOrder: 1 }, { ...first, sortOrder: 1 })),
  ),
  write(
    contracts.patchStrategy,
    async (rig) => ({
      ...(await lastStrategy(rig)),
      operations: [{ op: 'replace' as const, path: '/title', value: 'Third' }],
    }),
    ofFlag(featureName, changed({ ...third, sortOrder: 1 }, { ...second, sortOrder: 1 })),
  ),
  write(
    contracts.setStrategySegments,
    async (rig) => {
      const { strategyId } = await lastStrategy(rig);
      return { projectId, strategyId, environmentId: environment, segmentIds: [await segmentId(rig)] };
    },
    ofFlag(featureName, changed({ ...third, sortOrder: 1, segments: [anyNumber] }, { ...third, sortOrder: 1 })),
  ),
  write(
    contracts.setStrategyOrder,
    async (rig) => ({
      ...place,
      order: [
        { id: (await lastStrategy(rig)).strategyId, sortOrder: 0 },
        { id: (await strategiesOf(rig))[0]!.id, sortOrder: 1 },
      ],
    }),
    ofFlag(featureName, {
      ...{ type: 'strategy-order-changed', environment },
      ...{ data: { strategyIds: [anyText, anyText] }, preData: { strategyIds: [anyText, anyText] } },
    }),
  ),
  switchOn,
  write(
    contracts.deleteStrategy,
    lastStrategy,
    ofFlag(featureName, { type: 'feature-strategy-remove', environment, preData: { ...first, sortOrder: 1 } }),
    'not-found',
  ),
  write(
    contracts.deleteStrategy,
    lastStrategy,
    ofFlag(
      featureName,
      {
        ...{ type: 'feature-strategy-remove', environment },
        preData: { ...third, segments: [anyNumber] },
      },
      disabled,
    ),
    'not-found',
  ),
  ...onAgain,
  write(
    contracts.updateStrategy,
    async (rig) => ({
      ...(await lastStrategy(rig)),
      strategy: { disabled: true, parameters: { rollout: '100', stickiness: 'default', groupId: featureName } },
    }),
    ofFlag(featureName, changed(ofDefault({ disabled: true }), ofDefault()), disabled),
  ),
  ...onAgain,
  write(
    contracts.patchStrategy,
    async (rig) => ({
      ...(await lastStrategy(rig)),
      operations: [{ op: 'replace' as const, path: '/disabled', value: true }],
    }),
    ofFlag(featureName, changed(ofDefault({ disabled: true }), ofDefault()), disabled),
  ),
];
