import { BudgetExceeded, type Context, type Evaluation, TimeBudget } from '@yardarm/evaluation';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { stoppedEvaluations } from '../../metrics.ts';
import { scopeOfToken } from '../client/filters.ts';
import type { EnvironmentSnapshot, SnapshotFlag } from '../snapshots/environment-snapshot.ts';
import { TimeShares } from './time-shares.ts';

export interface EvaluatedFlag {
  readonly flag: SnapshotFlag;
  readonly evaluation: Evaluation;
}

/** What evaluations of a request depend on beside the flags. */
export interface EvaluationRequest {
  readonly token: ResolvedToken;
  readonly context: Context;
  /** In milliseconds since 1970. */
  readonly deadline: number;
}

/**
 * Of CPU time, for all flags of a request. 10,000 flags without costly constraints take a fiftieth. 10,000 patterns, of
 * which more than fit in memory, are compiled within it.
 */
const requestMs = 500;

const shares = new TimeShares();

/**
 * The flags that a token may read, evaluated for a context, by name. Tokens share the time of the process. Throws
 * `unprocessable` when constraints take longer than the budget of the request. A change of flags that comes while the
 * evaluation waits has an effect on the flags that are left.
 */
export async function evaluateFlags(
  snapshot: EnvironmentSnapshot,
  { token, context, deadline }: EvaluationRequest,
): Promise<EvaluatedFlag[]> {
  const flags = snapshot.flagsOf(scopeOfToken(token, 'separate'));
  return await shares.run(String(token.id), deadline, evaluate(snapshot, flags, context));
}

/** One of these flags; null when there is none with the name. Throws as `evaluateFlags` does. */
export async function evaluateFlag(
  snapshot: EnvironmentSnapshot,
  name: string,
  { token, context, deadline }: EvaluationRequest,
): Promise<EvaluatedFlag | null> {
  const flag = snapshot.flag(name);
  if (!flag || !scopeOfToken(token, 'separate').includes(flag)) return null;
  const [evaluated] = await shares.run(String(token.id), deadline, evaluate(snapshot, [flag], context));
  return evaluated!;
}

/** Yields after each slice of time. */
function* evaluate(
  snapshot: EnvironmentSnapshot,
  flags: readonly SnapshotFlag[],
  context: Context,
): Generator<void, EvaluatedFlag[]> {
  const now = Date.now();
  const budget = new TimeBudget(requestMs);
  const evaluated: EvaluatedFlag[] = [];
  for (const flag of flags) {
    let evaluation: Evaluation | null = null;
    while (evaluation === null) {
      if (budget.isSliceOver) {
        budget.endSlice();
        yield;
        budget.beginSlice();
      }
      evaluation = attempt(budget, snapshot, flag, context, now);
    }
    evaluated.push({ flag, evaluation });
  }
  return evaluated;
}

/** Null if the slice ended within the flag. */
function attempt(
  budget: TimeBudget,
  snapshot: EnvironmentSnapshot,
  { name }: SnapshotFlag,
  context: Context,
  now: number,
): Evaluation | null {
  try {
    return budget.attempt(() => snapshot.compiled().evaluate(name, context, now, budget));
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    stoppedEvaluations.inc();
    throw new AppError('unprocessable', error.messageFor(name));
  }
}
