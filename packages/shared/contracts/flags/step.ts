import { z } from 'zod';
import { request } from '../contract.ts';
import { featureNameSchema } from './feature.ts';

const project = z.string().max(100, 'should have at most 100 characters');
const environment = z.string().max(100, 'should have at most 100 characters');
const strategyId = z.string().max(100, 'should have at most 100 characters');
const ofFlag = { project, environment, featureName: featureNameSchema };
const ofTag = {
  ...{ project, environment },
  tag: z.string().regex(/^[^:]+:.+$/s, 'should be a tag type, a colon and a value, such as simple:beta'),
};
const ofStrategy = { ...ofFlag, strategyId };

/**
 * What an action may do to flags, by its name. A step holds the parameters of an action after payload paths were
 * replaced.
 */
export const stepActions = {
  TOGGLE_FEATURE_ON: z.object(ofFlag),
  TOGGLE_FEATURE_OFF: z.object(ofFlag),
  TOGGLE_FEATURES_ON_BY_TAG: z.object(ofTag),
  TOGGLE_FEATURES_OFF_BY_TAG: z.object(ofTag),
  SET_ROLLOUT: z.object({
    ...ofFlag,
    rollout: z.coerce.number().int().min(0, 'should be 0 to 100').max(100, 'should be 0 to 100'),
    /** Without it, the flag must have exactly one strategy with a rollout in the environment. */
    strategyId: strategyId.optional(),
  }),
  MARK_STALE: z.object({ project, featureName: featureNameSchema }),
  ENABLE_STRATEGY: z.object(ofStrategy),
  DISABLE_STRATEGY: z.object(ofStrategy),
} as const;

export const stepActionNames = Object.keys(stepActions) as (keyof typeof stepActions)[];

export type StepActionName = keyof typeof stepActions;

const variant = <Name extends StepActionName>(name: Name) =>
  z.object({ action: z.literal(name), parameters: stepActions[name] });

export const stepSchema = z.discriminatedUnion('action', [
  variant('TOGGLE_FEATURE_ON'),
  variant('TOGGLE_FEATURE_OFF'),
  variant('TOGGLE_FEATURES_ON_BY_TAG'),
  variant('TOGGLE_FEATURES_OFF_BY_TAG'),
  variant('SET_ROLLOUT'),
  variant('MARK_STALE'),
  variant('ENABLE_STRATEGY'),
  variant('DISABLE_STRATEGY'),
]);

export type Step = z.infer<typeof stepSchema>;

/**
 * A step takes effect once, however often it is sent: flags stores the outcome under the id for 7 days, and a
 * repetition returns or throws the first outcome. flags checks the permission of the action, in its project and
 * environment, for the actor of the request.
 */
export const executeStep = request({
  name: 'flags.step.execute',
  summary: 'Does one step of an action once; a repetition has the outcome of the first time',
  input: z.object({ stepId: z.uuid(), step: stepSchema }),
  output: z.object({
    /** One sentence, such as `switched 2 flags on`. */
    details: z.string(),
  }),
  errors: ['not-found', 'bad-data', 'forbidden', 'limit-exceeded'],
  permission: 'authenticated',
});
