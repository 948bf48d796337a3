import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Budget, costlySteps } from './budget.ts';
import type { ConstraintDefinition } from './definitions.ts';

/** A reading of the clock takes a microsecond, and as many steps at most 0.2 ms. */
const stepsPerReading = 20_000;

/** Other requests of the process wait for a slice and one constraint. A person notices fifty times as much. */
const sliceMs = 2;

/** A match cannot be interrupted. One of as many steps takes about 6 ms. */
const maxStepsAtOnce = 1_000_000;

/**
 * Of one flag, in all slices. The first evaluation of a strategy with 30 patterns of the largest size takes half of it
 * to compile them.
 */
const maxFlagMs = 25;

/** An evaluation would take more than its budget. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
  /** The constraint that was evaluated then, if there was one. */
  readonly constraint: ConstraintDefinition | undefined;

  constructor(constraint: ConstraintDefinition | undefined) {
    super('The evaluation exceeds its budget of time.');
    this.constraint = constraint;
  }

  /** What a caller may see. The values of a constraint are not in it. */
  messageFor(flag: string): string {
    const cause = this.constraint
      ? `its constraint with ${this.constraint.operator} on ${this.constraint.contextName}`
      : 'its number of strategies and constraints';
    return `The evaluation of the flag ${flag} takes too long for this context, at last because of ${cause}.`;
  }
}

const interruption = Symbol('the slice is over');

/**
 * A budget of time of the CPU, which is that of the thread: a busy machine ends no evaluation. The work is divided into
 * slices. The clock is read once in some thousand steps, so that flags without costly constraints cost nothing more.
 *
 *   running      The slice has begun. `run` evaluates a flag.
 *   interrupted  The slice ended within a flag, after a costly constraint. `run` returned null. The results of the
 *                costly constraints are kept, so that the next run continues behind them. Each run computes one at
 *                least.
 *   over         The slice ended. The owner calls `endSlice`, lets other work of the process run, and calls
 *                `beginSlice`; or `next`, which does the same.
 *   exceeded     The slices took more than the limit together, a flag more than `maxFlagMs`, or a match would take too
 *                long at once: BudgetExceeded is thrown.
 */
export class TimeBudget implements Budget {
  readonly #limitMs: number;
  /** Of the slices before this one. */
  #usedMs = 0;
  #sliceBeganAt = cpuTimeMs();
  #steps = 0;
  #isSliceOver = false;
  #isRunning = false;
  /** When the clock was read for the first time in this run: at most `stepsPerReading` after its beginning. */
  #readAt: number | null = null;
  /** Of the flag, in the runs that were interrupted. */
  #interruptedMs = 0;
  /** Of the costly constraints of the flag. */
  readonly #results = new Map<ConstraintDefinition, boolean>();

  /** `limitMs` is for all slices together. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get isSliceOver(): boolean {
    return this.#isSliceOver;
  }

  /**
   * The result of the evaluation of a flag; null if the slice ended within it. The owner then runs the same again in
   * the next slice. Throws BudgetExceeded.
   */
  run<Result>(evaluate: () => Result): Result | null {
    this.#isRunning = true;
    this.#readAt = null;
    let isInterrupted = false;
    try {
      return evaluate();
    } catch (error) {
      isInterrupted = error === interruption;
      if (isInterrupted) return null;
      throw error;
    } finally {
      this.#isRunning = false;
      if (!isInterrupted) this.#forget();
    }
  }

  #forget(): void {
    this.#interruptedMs = 0;
    if (this.#results.size > 0) this.#results.clear();
  }

  /** Runs an evaluation in as many slices as it needs, and other work of the process between them. */
  async finish<Result>(evaluate: () => Result): Promise<Result> {
    for (;;) {
      await this.next();
      const result = this.run(evaluate);
      if (result !== null) return result;
    }
  }

  /** Throws BudgetExceeded. */
  spend(steps: number, constraint?: ConstraintDefinition): void {
    this.#steps += steps;
    if (this.#steps < stepsPerReading) return;
    this.#steps = 0;
    const now = cpuTimeMs();
    const ms = now - this.#sliceBeganAt;
    this.#isSliceOver = ms > sliceMs;
    if (this.#isRunning) this.#readAt ??= now;
    const flagMs = this.#interruptedMs + now - (this.#readAt ?? now);
    if (steps > maxStepsAtOnce || flagMs > maxFlagMs || this.#usedMs + ms > this.#limitMs) {
      throw new BudgetExceeded(constraint);
    }
  }

  /** Throws BudgetExceeded, and what ends a run. */
  compute(steps: number, constraint: ConstraintDefinition, result: () => boolean): boolean {
    if (steps < costlySteps) return result();
    const known = this.#results.get(constraint);
    if (known !== undefined) return known;
    const computed = result();
    if (!this.#isRunning) return computed;
    this.#results.set(constraint, computed);
    if (!this.#isSliceOver) return computed;
    const now = cpuTimeMs();
    this.#interruptedMs += now - (this.#readAt ?? now);
    throw this.#interruptedMs > maxFlagMs ? new BudgetExceeded(constraint) : interruption;
  }

  /** Lets other work of the process run if the slice is over. */
  async next(): Promise<void> {
    if (!this.#isSliceOver && cpuTimeMs() - this.#sliceBeganAt <= sliceMs) return;
    this.endSlice();
    await yieldToEventLoop();
    this.beginSlice();
  }

  /** To be called before other work runs. */
  endSlice(): void {
    this.#usedMs += cpuTimeMs() - this.#sliceBeganAt;
  }

  /** To be called after it. */
  beginSlice(): void {
    this.#sliceBeganAt = cpuTimeMs();
    this.#steps = 0;
    this.#isSliceOver = false;
  }

  /** The limit begins again, for the next of several works that share slices. */
  renew(): void {
    this.#usedMs = 0;
  }
}

/** The CPU time of this thread until now. */
export function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
