import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import type { FlagsRig } from '../flags-rig.ts';
import { bot, type SentStep } from '../step-calls.ts';
import {
  defaultStrategyData,
  type ExpectedEvent,
  environment,
  flagData,
  ofFlag,
  projectId,
  type Write,
  write,
} from './write.ts';

const featureName = 'stepped';
const ofPlace = { project: projectId, environment, featureName };
const tag = { type: 'simple', value: 'stepped' };
const ofTag = { project: projectId, environment, tag: 'simple:stepped' };

async function strategyId(rig: FlagsRig): Promise<string> {
  const { strategies } = await rig.ask(contracts.listStrategies, { projectId, environment, featureName });
  return strategies[0]!.id;
}

/** The same id again is the same step. */
const step = (find: (rig: FlagsRig) => Promise<SentStep> | SentStep, ...events: ExpectedEvent[]) =>
  write(
    contracts.executeStep,
    async (rig) => {
      rig.accounts.actors.set(bot.id, bot);
      return { stepId: randomUUID(), step: await find(rig), serviceAccountId: bot.id };
    },
    ofFlag(featureName, ...events),
  );

const half = (changes: Record<string, unknown> = {}) => ({
  ...defaultStrategyData(featureName),
  ...{ parameters: { rollout: '50', stickiness: 'default', groupId: featureName }, ...changes },
});
const changed = (data: Record<string, unknown>, preData: Record<string, unknown>): ExpectedEvent => ({
  ...{ type: 'feature-strategy-update', environment, data, preData },
});
const switchedOn: ExpectedEvent = { type: 'feature-environment-enabled', environment };
const switchedOff: ExpectedEvent = { type: 'feature-environment-disabled', environment };

export const stepWrites: readonly Write[] = [
  write(
    contracts.createFeature,
    { projectId, name: featureName, tags: [tag] },
    [
      { type: 'tag-created', data: tag },
      ...ofFlag(featureName, { type: 'feature-created', data: flagData(featureName) }),
    ],
    'name-exists',
  ),
  step(
    () => ({ action: 'TOGGLE_FEATURE_ON', parameters: ofPlace }),
    { type: 'feature-strategy-add', environment, data: defaultStrategyData(featureName) },
    switchedOn,
  ),
  step(
    () => ({ action: 'SET_ROLLOUT', parameters: { ...ofPlace, rollout: 50 } }),
    changed(half(), defaultStrategyData(featureName)),
  ),
  step(() => ({ action: 'TOGGLE_FEATURE_OFF', parameters: ofPlace }), switchedOff),
  step(() => ({ action: 'TOGGLE_FEATURES_ON_BY_TAG', parameters: ofTag }), switchedOn),
  step(() => ({ action: 'TOGGLE_FEATURES_OFF_BY_TAG', parameters: ofTag }), switchedOff),
  step(
    async (rig) => ({ action: 'DISABLE_STRATEGY', parameters: { ...ofPlace, strategyId: await strategyId(rig) } }),
    changed(half({ disabled: true }), half()),
  ),
  step(
    async (rig) => ({ action: 'ENABLE_STRATEGY', parameters: { ...ofPlace, strategyId: await strategyId(rig) } }),
    changed(half(), half({ disabled: true })),
  ),
  step(() => ({ action: 'MARK_STALE', parameters: { project: projectId, featureName } }), { type: 'feature-stale-on' }),
];
