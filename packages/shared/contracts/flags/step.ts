import { z } from 'zod';
import { request } from '../contract.ts';
import type { Permission } from '../permissions.ts';
import { featureNameSchema } from './feature.ts';

const project = z.string().max(100, 'should have at most 100 characters');
const environment = z.string().max(100, 'should have at most 100 characters');
const strategyId = z.string().max(100, 'should have at most 100 characters');
const ofFlag = { project, environment, featureName: featureNameSchema };
const ofTag = {
  ...{ project, environment },
  tag: z
    .string()
    // A type and a value have at most 50 characters each.
    .max(101, 'should have at most 101 characters')
    .regex(/^[^:]+:.+$/s, 'should be a tag type, a colon and a value, such as simple:beta'),
};
const ofStrategy = { ...ofFlag, strategyId };

/** A payload may hold the number as text. An empty text or a boolean is no number. */
const rollout = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,3}$/, 'should be 0 to 100')
      .transform(Number),
  ])
  .pipe(z.number().int('should be a whole number').min(0, 'should be 0 to 100').max(100, 'should be 0 to 100'));

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
    rollout,
    /** Without it, the flag must have exactly one strategy of the type flexibleRollout in the environment. */
    strategyId: strategyId.optional(),
  }),
  MARK_STALE: z.object({ project, featureName: featureNameSchema }),
  ENABLE_STRATEGY: z.object(ofStrategy),
  DISABLE_STRATEGY: z.object(ofStrategy),
} as const;

export const stepActionNames = Object.keys(stepActions) as (keyof typeof stepActions)[];

export type StepActionName = keyof typeof stepActions;

/** What the actor needs in the project and environment that the parameters name. */
export const stepPermissions = {
  TOGGLE_FEATURE_ON: 'UPDATE_FEATURE_ENVIRONMENT',
  TOGGLE_FEATURE_OFF: 'UPDATE_FEATURE_ENVIRONMENT',
  TOGGLE_FEATURES_ON_BY_TAG: 'UPDATE_FEATURE_ENVIRONMENT',
  TOGGLE_FEATURES_OFF_BY_TAG: 'UPDATE_FEATURE_ENVIRONMENT',
  SET_ROLLOUT: 'UPDATE_FEATURE_STRATEGY',
  MARK_STALE: 'UPDATE_FEATURE',
  ENABLE_STRATEGY: 'UPDATE_FEATURE_STRATEGY',
  DISABLE_STRATEGY: 'UPDATE_FEATURE_STRATEGY',
} as const satisfies Record<StepActionName, Permission>;

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
 * repetition returns or throws the first outcome. flags asks accounts what the service account may do now, and checks
 * the permission of the action in its project and environment.
 */
export const executeStep = request({
  name: 'flags.step.execute',
  writes: true,
  summary: 'Does one step of an action once; a repetition has the outcome of the first time',
  input: z.object({
    stepId: z.uuid(),
    step: stepSchema,
    /**
     * The service account that does the step. Without it, for signals of the release before, it is the actor of the
     * request, whose grants do not count.
     */
    serviceAccountId: z.number().int().optional(),
    /** When the project was created that the step is for. Another project under its id is `not-found`. */
    projectCreatedAt: z.iso.datetime().nullish(),
  }),
  output: z.object({
    /** One sentence, such as `Switched 2 flags with the tag "simple:beta" on in the environment "production".` */
    details: z.string(),
  }),
  // Without the permission it is `no-access`, which names the permission.
  errors: ['not-found', 'bad-data', 'limit-exceeded'],
  permission: 'internal',
  callers: ['signals'],
});
