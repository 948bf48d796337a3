import { BudgetExceeded, type Context, type Evaluation, TimeBudget } from '@yardarm/evaluation';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { stoppedEvaluations } from '../../metrics.ts';
import { TimeShares } from '../../time-shares.ts';
import { scopeOfToken } from '../client/filters.ts';
import type { EnvironmentSnapshot } from '../snapshots/environment-snapshot.ts';
import type { SnapshotFlag } from '../snapshots/stored-flag.ts';
import { EvaluatedText, type TextForm } from './evaluated-text.ts';

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

const shares = new TimeShares({
  // Evaluating 1,000 ordinary flags takes 1 ms.
  restFromMs: 5,
  // A waiting request keeps its body. A token has as many requests at once only when each takes long.
  maxWaiting: 200,
  works: 'evaluations of costly constraints',
});

/**
 * The text of the flags that a token may read, evaluated for a context, by name. Tokens share the time of the process.
 * Throws `unprocessable` when constraints or payloads take longer than the budget of the request, or the text is too
 * long. A change of flags that comes while the evaluation waits has an effect on the flags that are left.
 */
export async function evaluateFlags(
  snapshot: EnvironmentSnapshot,
  { token, context, deadline }: EvaluationRequest,
  form: TextForm,
): Promise<EvaluatedText> {
  const flags = snapshot.flagsOf(scopeOfToken(token, 'separate'));
  return await shares.run(String(token.id), deadline, new Evaluating(snapshot, context).all(flags, form));
}

/** One of these flags; null when there is none with the name. Throws as `evaluateFlags` does. */
export async function evaluateFlag(
  snapshot: EnvironmentSnapshot,
  name: string,
  { token, context, deadline }: EvaluationRequest,
): Promise<EvaluatedFlag | null> {
  const flag = snapshot.flag(name);
  if (!flag || !scopeOfToken(token, 'separate').includes(flag)) return null;
  return await shares.run(String(token.id), deadline, new Evaluating(snapshot, context).one(flag));
}

/** The evaluations of a request. Its generators yield after each slice of time. */
class Evaluating {
  readonly #snapshot: EnvironmentSnapshot;
  readonly #context: Context;
  readonly #now = Date.now();
  readonly #budget = new TimeBudget(requestMs);
  #name = '';
  /** One for all flags: a function for each was a third of the garbage of a request. */
  readonly #evaluateNamed = () => {
    return this.#snapshot.compiled().evaluate(this.#name, this.#context, this.#now, this.#budget);
  };

  constructor(snapshot: EnvironmentSnapshot, context: Context) {
    this.#snapshot = snapshot;
    this.#context = context;
  }

  *all(flags: readonly SnapshotFlag[], form: TextForm): Generator<void, EvaluatedText> {
    // Other work may have run since this was made.
    this.#budget.beginSlice();
    const text = new EvaluatedText(form);
    for (const flag of flags) {
      if (this.#budget.isSliceOver) yield* this.#nextSlice();
      this.#add(text, flag, this.#evaluate(flag) ?? (yield* this.#evaluateAgain(flag)));
    }
    text.end();
    return text;
  }

  *one(flag: SnapshotFlag): Generator<void, EvaluatedFlag> {
    this.#budget.beginSlice();
    return { flag, evaluation: this.#evaluate(flag) ?? (yield* this.#evaluateAgain(flag)) };
  }

  /** Null if the slice ended within the flag. */
  #evaluate({ name }: SnapshotFlag): Evaluation | null {
    this.#name = name;
    try {
      return this.#budget.run(this.#evaluateNamed);
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      stoppedEvaluations.inc();
      throw new AppError('unprocessable', error.messageFor(name));
    }
  }

  *#evaluateAgain(flag: SnapshotFlag): Generator<void, Evaluation> {
    for (;;) {
      yield* this.#nextSlice();
      const evaluation = this.#evaluate(flag);
      if (evaluation !== null) return evaluation;
    }
  }

  *#nextSlice(): Generator<void, void> {
    this.#budget.endSlice();
    yield;
    this.#budget.beginSlice();
  }

  #add(text: EvaluatedText, flag: SnapshotFlag, evaluation: Evaluation): void {
    try {
      this.#budget.spend(text.add(flag, evaluation));
    } catch (error) {
      stoppedEvaluations.inc();
      if (!(error instanceof BudgetExceeded)) throw error;
      throw new AppError(
        'unprocessable',
        'The payloads of all flags take too long to send. Use a token of fewer projects.',
      );
    }
  }
}
