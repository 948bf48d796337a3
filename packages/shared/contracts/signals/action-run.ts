import { z } from 'zod';
import { request } from '../contract.ts';
import { actionSchema, actionSetSchema, maxPerSet } from './action-set.ts';
import { acceptedSignalSchema } from './signal.ts';

const idLike = (example: number) =>
  z
    .number()
    .int()
    .min(1)
    .meta({ examples: [example] });

/** The set as it was when the signal matched, with the state of each action. */
export const runActionSetSchema = actionSetSchema.extend({
  actions: z
    .array(
      actionSchema.extend({
        state: z.enum(['not started', 'started', 'success', 'failed']),
        details: z.string().nullable(),
      }),
    )
    .max(maxPerSet),
});

/** Retention may delete a signal before its run. Then only its id and endpoint are known. */
const runSignalSchema = acceptedSignalSchema.extend({
  createdBySourceTokenId: acceptedSignalSchema.shape.createdBySourceTokenId.nullable(),
  createdAt: acceptedSignalSchema.shape.createdAt.nullable(),
});

/**
 * One execution of an action set for a signal. The steps are the actions of the set, in their order. A step that is
 * `not started` has details if it was not called yet because a service did not answer, or if the run failed before it.
 */
export const actionRunSchema = z
  .object({
    id: idLike(17),
    actionSetId: idLike(3),
    signalId: idLike(310),
    createdAt: z.iso.datetime(),
    state: z.enum(['started', 'success', 'failed']),
    signal: runSignalSchema,
    actionSet: runActionSetSchema,
  })
  .meta({ id: 'actionSetEventSchema' });

export type ActionRun = z.infer<typeof actionRunSchema>;

export const listActionRuns = request({
  name: 'signals.action-run.list',
  writes: false,
  summary: 'The runs of an action set, newest first',
  input: z.object({
    ...{ projectId: z.string(), actionSetId: z.number().int() },
    ...{ limit: z.number().int().min(1).max(1000), offset: z.number().int().min(0) },
  }),
  output: z.object({ actionSetEvents: z.array(actionRunSchema) }),
  errors: ['not-found'],
  permission: 'ADMIN',
});
