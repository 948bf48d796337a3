import { z } from 'zod';
import { request } from '../contract.ts';

/** In their order: a flag is in the last of the stages that it has entered. */
export const lifecycleStages = ['initial', 'pre-live', 'live', 'completed', 'archived'] as const;

export type LifecycleStageName = (typeof lifecycleStages)[number];

/** A stage that a flag has entered. Only `completed` has a status. */
export const lifecycleStageSchema = z.object({
  stage: z.enum(lifecycleStages),
  status: z.string().optional(),
  enteredStageAt: z.iso.datetime(),
});

export type LifecycleStage = z.infer<typeof lifecycleStageSchema>;

const stagesSchema = z
  .array(lifecycleStageSchema)
  .max(lifecycleStages.length)
  .meta({
    examples: [
      [
        { stage: 'initial', enteredStageAt: '2026-01-31T12:00:00.000Z' },
        { stage: 'completed', status: 'kept', enteredStageAt: '2026-02-27T12:00:00.000Z' },
      ],
    ],
  });

export const getFeatureLifecycle = request({
  name: 'flags.lifecycle.get',
  writes: false,
  summary: 'The stages that a flag has entered, in their order',
  input: z.object({ projectId: z.string(), featureName: z.string() }),
  output: z.object({ stages: stagesSchema }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const completeFeature = request({
  name: 'flags.lifecycle.complete',
  writes: true,
  summary: 'Marks a flag as completed: its feature is kept or discarded, and the flag can be removed from the code',
  input: z
    .strictObject({
      ...{ projectId: z.string(), featureName: z.string() },
      status: z.enum(['kept', 'discarded']),
      /** The name of the variant that is kept. */
      statusValue: z.string().max(255, 'should have at most 255 characters').nullable().default(null),
    })
    .meta({ examples: [{ status: 'kept', statusValue: 'blue' }] }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'UPDATE_FEATURE',
});

export const uncompleteFeature = request({
  name: 'flags.lifecycle.uncomplete',
  writes: true,
  summary: 'Makes a completed flag live again',
  input: z.object({ projectId: z.string(), featureName: z.string() }),
  output: z.object({}),
  errors: ['not-found'],
  permission: 'UPDATE_FEATURE',
});

export const countLifecycleStages = request({
  name: 'flags.lifecycle.count',
  writes: false,
  summary: 'How many flags are in each stage',
  input: z.object({}),
  output: z
    .object({
      initial: z.number().int(),
      preLive: z.number().int(),
      live: z.number().int(),
      completed: z.number().int(),
      archived: z.number().int(),
    })
    .meta({ examples: [{ initial: 3, preLive: 5, live: 8, completed: 2, archived: 13 }] }),
  permission: 'authenticated',
});
