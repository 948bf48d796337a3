import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import { resolveActor } from '@yardarm/shared/contracts/accounts';
import { executeStep } from '@yardarm/shared/contracts/flags';
import type { Database, Leadership, Transaction } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { tracer } from '@yardarm/shared/telemetry';
import type { SignalsTables } from '../db/schema.ts';
import { finishedRuns, retriedSteps } from '../metrics.ts';
import { type Outcome, outcomeOf, retryDelayMs } from './run.ts';
import { findStopReason, type NextStep, updateEnded, updateRetry, updateStarted } from './steps.repo.ts';

/** flags changes a thousand flags of a tag within seconds. A call that took longer is repeated and gets its outcome. */
const callLimitMs = 10_000;

/** accounts reads a few rows. */
const resolveLimitMs = 5_000;

export interface StepOptions {
  db: Database<SignalsTables>;
  bus: Bus;
  log: Logger;
  /** For how long after its first attempt a step is retried. */
  retryMs: number;
  /** In maintenance mode no step is called. Steps that are due wait for its end. */
  isPaused(): boolean;
}

/**
 * Executes the next step of an endpoint and stores how it ended. Each transaction is fenced, and none is open during a
 * call. A leader that stops leaves its call unanswered: the next one finds the step started and calls it again.
 */
export async function runStep(options: StepOptions, leadership: Leadership, next: NextStep): Promise<void> {
  const { bus } = options;
  const { stepId, step, actorId, problem, projectCreatedAt } = next;
  const settle = (outcome: Outcome) => settleStep(options, leadership, next, outcome);
  if (next.isForgotten) return settle({ state: 'failed', details: 'The outcome of the step is not known any more.' });
  if (step === null) return void (await beginStep(options, leadership, next, problem));

  const account = { serviceAccountId: actorId };
  const resolved = await ask(bus.request(resolveActor, account, contextOf(next, null, resolveLimitMs)), leadership);
  if (resolved === 'abandoned') return;
  // The step itself was not called.
  if ('state' in resolved) return settle(resolved.state === 'retry' ? { ...resolved, isUnknown: false } : resolved);
  const { actor } = resolved.answer;
  const missing = actor === null ? `The service account ${actorId} does not exist.` : null;
  if (!(await beginStep(options, leadership, next, missing))) return;

  // A started step is called also when its account is gone, for an earlier outcome.
  // FOR ONE RELEASE: flags of the release before reads the actor with its grants. Delete `caller` when no upgrade
  // begins at 18d16db any more.
  const caller: Actor = actor ?? { kind: 'service-account', id: actorId, username: `${actorId}`, grants: [] };
  const input = { stepId, step, serviceAccountId: actorId, projectCreatedAt: projectCreatedAt?.toISOString() ?? null };
  const called = await ask(bus.request(executeStep, input, contextOf(next, caller, callLimitMs)), leadership);
  if (called === 'abandoned') return;
  if ('answer' in called) return settle({ state: 'success', details: called.answer.details });
  const isRefused = called.state === 'failed' && missing !== null;
  await settle(isRefused ? { ...called, details: `${missing} ${called.details}` } : called);
}

/**
 * Commits that a step is started, or ends one that cannot be called: its set was disabled or deleted, or it has a
 * problem. A step that is started may have taken effect, so nothing ends it here. Returns whether it may be called.
 */
async function beginStep(
  { db }: StepOptions,
  leadership: Leadership,
  next: NextStep,
  problem: string | null,
): Promise<boolean> {
  if (next.state === 'started') return true;
  return db.transaction(async (trx) => {
    await leadership.requireCurrent(trx);
    const stopReason = await findStopReason(trx, next.runId);
    if (stopReason !== null) await endStep(trx, next, { state: 'not started', details: stopReason });
    else if (problem !== null) await endStep(trx, next, { state: 'failed', details: problem });
    else await updateStarted(trx, next);
    return stopReason === null && problem === null;
  });
}

async function settleStep(
  { db, log, retryMs }: StepOptions,
  leadership: Leadership,
  next: NextStep,
  outcome: Outcome,
): Promise<void> {
  const { runId, stepId } = next;
  tracer?.current()?.set({ 'yardarm.step.outcome': outcome.state });
  if (outcome.state === 'retry') log.warn({ runId, stepId, reason: outcome.details }, 'a step was not answered');
  await db.transaction(async (trx) => {
    await leadership.requireCurrent(trx);
    if (outcome.state !== 'retry') return endStep(trx, next, outcome);
    if (next.isOverdue) return endStep(trx, next, { state: 'failed', details: outcome.details });
    // A step that did nothing is not started any more, unless an earlier attempt of it may have taken effect.
    const state = next.state === 'started' || outcome.isUnknown ? 'started' : 'not started';
    const failures = next.failures + 1;
    const { details } = outcome;
    await updateRetry(trx, next, { state, details, failures, delayMs: retryDelayMs(failures), retryMs });
    trx.onCommit(() => retriedSteps.inc());
  });
}

async function endStep(
  trx: Transaction<SignalsTables>,
  next: NextStep,
  end: { state: 'not started' | 'success' | 'failed'; details: string },
): Promise<void> {
  const state = await updateEnded(trx, next, end);
  if (state !== null) trx.onCommit(() => finishedRuns.inc({ state }));
}

/** The step id is the id of its requests, so that the logs of all services name the step. */
function contextOf({ stepId, traceparent }: NextStep, actor: Actor | null, limitMs: number): RequestContext {
  return { requestId: stepId, actor, deadline: Date.now() + limitMs, traceparent };
}

/** Waits for the answer, or until the leadership ends. */
async function ask<T>(request: Promise<T>, { signal }: Leadership): Promise<{ answer: T } | Outcome | 'abandoned'> {
  const { promise: aborted, resolve: abandon } = Promise.withResolvers<'abandoned'>();
  const onAbort = () => abandon('abandoned');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const answered = request.then((answer) => ({ answer }), outcomeOf);
    return await Promise.race([answered, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
