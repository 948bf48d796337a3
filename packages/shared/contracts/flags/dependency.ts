import { z } from 'zod';
import { request } from '../contract.ts';

const variantName = z.string().min(1, 'should not be empty').max(100, 'should have at most 100 characters');

/** Several times as many as a flag needs. The answers and events of a flag have all its dependencies. */
export const maxParents = 30;

const maxVariants = 50;

export const dependencySchema = z.object({
  feature: z.string().min(1, 'should not be empty').max(100, 'should have at most 100 characters'),
  enabled: z.boolean().default(true),
  variants: z.array(variantName).max(maxVariants, `should have at most ${maxVariants} items`).default([]),
});

const ofChild = { projectId: z.string(), child: z.string() };

export const addDependency = request({
  name: 'flags.dependency.add',
  writes: true,
  summary: 'Makes a flag depend on another flag of the project, or on those of `parents`, and on no others',
  input: z
    .object({
      ...ofChild,
      ...dependencySchema.partial({ feature: true }).shape,
      /** Several parents. Then the other properties of the body are absent. */
      parents: z
        .array(dependencySchema)
        .min(1, 'should name a flag')
        .max(maxParents, `should have at most ${maxParents} items`)
        .optional(),
    })
    .meta({ examples: [{ projectId: 'default', child: 'checkout-button', feature: 'checkout', enabled: true }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'invalid-operation', 'limit-exceeded'],
  permission: 'UPDATE_FEATURE_DEPENDENCY',
});

export const deleteDependency = request({
  name: 'flags.dependency.delete',
  writes: true,
  summary: 'Ends the dependency of a flag on a parent',
  input: z.object({ ...ofChild, parent: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'UPDATE_FEATURE_DEPENDENCY',
});

export const deleteDependencies = request({
  name: 'flags.dependency.delete-all',
  writes: true,
  summary: 'Ends all dependencies of a flag',
  input: z.object(ofChild),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'UPDATE_FEATURE_DEPENDENCY',
});

export const listParentOptions = request({
  name: 'flags.dependency.list-parent-options',
  writes: false,
  summary: 'The flags that a flag may depend on, by name',
  input: z.object(ofChild),
  output: z.object({ features: z.array(z.string().meta({ examples: ['checkout'] })) }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const listParentVariantOptions = request({
  name: 'flags.dependency.list-parent-variant-options',
  writes: false,
  summary: 'The names of the variants that a flag has in any environment; none for an unknown flag',
  input: z.object({ projectId: z.string(), parent: z.string() }),
  output: z.object({ variants: z.array(z.string().meta({ examples: ['blue'] })) }),
  permission: 'authenticated',
});

export const checkDependenciesExist = request({
  name: 'flags.dependency.check-existence',
  writes: false,
  summary: 'Whether any flag of the project depends on another',
  input: z.object({ projectId: z.string() }),
  output: z.object({ exist: z.boolean() }),
  errors: ['not-found'],
  permission: 'authenticated',
});
