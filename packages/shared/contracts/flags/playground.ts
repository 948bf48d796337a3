import { z } from 'zod';
import { request } from '../contract.ts';
import { constraintSchema } from './constraint.ts';
import { variantSchema } from './strategy.ts';

const editPath =
  '/projects/default/features/checkout/strategies/edit?environmentId=production&strategyId=5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11';

export const playgroundConstraintSchema = constraintSchema.extend({ result: z.boolean() }).meta({
  id: 'playgroundConstraintSchema',
  examples: [
    {
      ...{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'], caseInsensitive: false, inverted: false },
      result: true,
    },
  ],
});

export const playgroundSegmentSchema = z
  .object({
    id: z.number().int(),
    name: z.string(),
    result: z.boolean(),
    constraints: z.array(playgroundConstraintSchema),
  })
  .meta({ id: 'playgroundSegmentSchema', examples: [{ id: 3, name: 'beta-users', result: true, constraints: [] }] });

const payload = z.object({ type: z.string(), value: z.string() });
const variant = { name: z.string(), enabled: z.boolean(), payload: payload.optional() };

const strategyResultSchema = z.union([
  z.object({
    evaluationStatus: z
      .enum(['incomplete', 'unevaluated'])
      .describe('`incomplete`: only an application knows the type. `unevaluated`: the strategy is disabled'),
    enabled: z.union([z.literal(false), z.literal('unknown')]),
  }),
  z.object({
    evaluationStatus: z.literal('complete'),
    enabled: z.boolean(),
    variant: z.object(variant).optional().describe('The variant that the strategy would choose'),
    variants: z.array(variantSchema).optional(),
  }),
]);

export const playgroundStrategySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    title: z.string().optional(),
    disabled: z.boolean(),
    parameters: z.record(z.string(), z.string()),
    result: strategyResultSchema,
    constraints: z.array(playgroundConstraintSchema),
    segments: z.array(playgroundSegmentSchema),
    links: z.object({ edit: z.string().describe('The page of consoles that changes the strategy') }),
  })
  .meta({
    id: 'playgroundStrategySchema',
    examples: [
      {
        ...{ id: '5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11', name: 'flexibleRollout', title: 'Beta', disabled: false },
        parameters: { rollout: '50', stickiness: 'default', groupId: 'checkout' },
        result: { evaluationStatus: 'complete', enabled: true },
        ...{ constraints: [], segments: [], links: { edit: editPath } },
      },
    ],
  });

/**
 * The most characters of a field of a context. Every constraint on the field compares them. Tokens and addresses of
 * pages in use are shorter.
 */
export const maxContextText = 10_000;

/** The most fields of a context. Applications have tens. Every evaluation of the playground repeats all of them. */
export const maxContextFields = 1_000;

/** The fields of a context beside each other, each a text. */
const flatContextSchema = z.record(z.string(), z.string());

/** A flag in an environment, evaluated for one context. */
export const playgroundEvaluationSchema = z
  .object({
    name: z.string(),
    projectId: z.string(),
    environment: z.string(),
    context: flatContextSchema,
    isEnabled: z.boolean().describe('Whether SDKs find the flag on. It is false if that is unknown'),
    isEnabledInCurrentEnvironment: z.boolean().describe('Whether the flag is switched on in the environment'),
    hasUnsatisfiedDependency: z.boolean(),
    variant: z.object({ ...variant, feature_enabled: z.boolean() }),
    variants: z.array(variantSchema).describe('The variants among which SDKs choose'),
    strategies: z.object({
      result: z.union([z.boolean(), z.literal('unknown')]).describe('Of all strategies, also of a flag that is off'),
      data: z.array(playgroundStrategySchema),
    }),
  })
  .meta({
    id: 'advancedPlaygroundEnvironmentFeatureSchema',
    examples: [
      {
        ...{ name: 'checkout', projectId: 'default', environment: 'production' },
        context: { appName: 'shop', userId: '7' },
        ...{ isEnabled: true, isEnabledInCurrentEnvironment: true, hasUnsatisfiedDependency: false },
        variant: { name: 'disabled', enabled: false, feature_enabled: true },
        variants: [],
        strategies: { result: true, data: [] },
      },
    ],
  });

export type PlaygroundEvaluation = z.infer<typeof playgroundEvaluationSchema>;
export type PlaygroundStrategy = z.infer<typeof playgroundStrategySchema>;

/**
 * The public product has the same limit. The limit is for comparisons: one context in one environment may have any
 * number of flags, because SDKs evaluate as many.
 */
export const maxPlaygroundEvaluations = 15_000;

/** Projects do not restrict who reads their flags, so any actor may evaluate all of them. */
export const evaluatePlayground = request({
  name: 'flags.playground.evaluate',
  writes: false,
  summary:
    'Evaluates flags in environments for contexts and says why they are on or off; by flag, then in the order of the environments and contexts',
  input: z.object({
    environments: z
      .array(z.string())
      .min(1, 'should have at least one item')
      .max(1000, 'should have at most 1000 items'),
    /** The projects whose flags are evaluated; without it, all projects. */
    projects: z.array(z.string()).max(1000, 'should have at most 1000 items').optional(),
    /** The values of each field. Every combination of them is a context. */
    fields: z
      .record(z.string(), z.array(z.string().max(maxContextText)).min(1))
      .refine(
        (fields) => Object.keys(fields).length <= maxContextFields,
        `should have at most ${maxContextFields} fields`,
      ),
  }),
  output: z.object({ evaluations: z.array(playgroundEvaluationSchema) }),
  errors: ['bad-data'],
  permission: 'authenticated',
});
