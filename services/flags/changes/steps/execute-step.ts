import type { ServedContext } from '@yardarm/shared/bus';
import type { executeStep as contract } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { z } from 'zod';
import type { FlagsTables } from '../../db/schema.ts';
import { projectNotFound } from '../../places/projects/project.ts';
import { lockProjects } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { recordChange } from '../record-change.ts';
import { doAction } from './do-action.ts';
import { resolveAccount } from './resolve-account.ts';
import { answerOf, outcomeOfError, type StepOutcome } from './step.ts';
import { deferOutcome, insertStep } from './steps.repo.ts';

type Input = z.output<typeof contract.input>;

/**
 * Does a step once. The states of a step, by its row:
 *
 *   new       There is no row. Nothing was done.
 *   running   A transaction has inserted the row. Another delivery of the step waits for the end of the transaction.
 *   finished  The row has the outcome. It is committed with the change; a refusal has no change. Every later delivery
 *             has this outcome, until the row is deleted (`start-retention.ts`).
 *
 * An error that is no refusal, such as a lost connection or a crash, ends the transaction: the step is new again.
 */
export async function executeStep(
  resources: FlagsResources,
  input: Input,
  context: ServedContext,
): Promise<{ details: string }> {
  const { stepId, serviceAccountId } = input;
  // Before the transaction, which holds locks. A failure is no outcome: the sender tries again.
  const actor = await resolveAccount(resources, serviceAccountId, context);
  const ofAccount = { ...context, actor };
  const outcome = await changeAndStore(resources, input, ofAccount).catch(async (error: unknown) => {
    const refusal = outcomeOfError(error);
    if (refusal === null) throw error;
    return await storeRefusal(resources, stepId, refusal, ofAccount);
  });
  return answerOf(outcome);
}

async function changeAndStore(
  resources: FlagsResources,
  { stepId, step, projectCreatedAt }: Input,
  context: ServedContext,
): Promise<StepOutcome> {
  const { limits } = resources;
  return await recordChange(resources, context, async (trx, emit) => {
    const earlier = await insertStep(trx, stepId);
    if (earlier !== null) return earlier;
    if (projectCreatedAt) await requireIncarnation(trx, step.parameters.project, projectCreatedAt);
    const outcome: StepOutcome = { status: 'done', details: await doAction({ trx, emit, context, limits }, step) };
    deferOutcome(trx, stepId, outcome);
    return outcome;
  });
}

/** Throws unless the project is the one that the step is for. It is not deleted before the transaction ends. */
async function requireIncarnation(trx: Transaction<FlagsTables>, id: string, createdAt: string): Promise<void> {
  const project = (await lockProjects(trx, [id], 'share')).get(id);
  if (project?.createdAt.toISOString() !== createdAt) throw projectNotFound(id);
}

/** The refusal has rolled back its transaction. Since then another delivery may have ended with another outcome. */
async function storeRefusal(
  resources: FlagsResources,
  stepId: string,
  refusal: StepOutcome,
  context: ServedContext,
): Promise<StepOutcome> {
  return await recordChange(resources, context, async (trx) => {
    const earlier = await insertStep(trx, stepId);
    if (earlier !== null) return earlier;
    deferOutcome(trx, stepId, refusal);
    return refusal;
  });
}
