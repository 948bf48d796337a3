import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Budget } from './budget.ts';
import type { ConstraintDefinition } from './definitions.ts';

/** A reading of the clock takes a microsecond, and as many steps at most 0.2 ms. */
const stepsPerReading = 20_000;

/** As a rule, other requests of the process wait for a slice. A person notices fifty times as much. */
const sliceMs = 2;

/**
 * In the worst case, they wait for as long and for one match. The first evaluation of a strategy with 30 patterns of
 * the largest size takes half of it to compile them.
 */
const maxSliceMs = 25;

/** A match cannot be interrupted. One of as many steps takes about 6 ms. */
const maxStepsAtOnce = 1_000_000;

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

/**
 * A budget of time of the CPU, which is that of the thread: a busy machine ends no evaluation. The work is divided into
 * slices. Its owner looks at `isSliceOver` between two flags and lets other work of the process run. A flag that takes
 * longer than `maxSliceMs` exceeds the budget, also if the whole is not used up. The clock is read once in some
 * thousand steps, so that flags without costly constraints cost nothing more.
 */
export class TimeBudget implements Budget {
  readonly #limitMs: number;
  /** Of the slices before this one. */
  #usedMs = 0;
  #sliceBeganAt = cpuTimeMs();
  #steps = 0;
  #isSliceOver = false;

  /** `limitMs` is for all slices together. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  get isSliceOver(): boolean {
    return this.#isSliceOver;
  }

  /** Throws BudgetExceeded. */
  spend(steps: number, constraint?: ConstraintDefinition): void {
    this.#steps += steps;
    if (this.#steps < stepsPerReading) return;
    this.#steps = 0;
    const ms = cpuTimeMs() - this.#sliceBeganAt;
    this.#isSliceOver = ms > sliceMs;
    if (steps > maxStepsAtOnce || ms > maxSliceMs || this.#usedMs + ms > this.#limitMs) {
      throw new BudgetExceeded(constraint);
    }
  }

  /** Lets other work of the process run if the slice is over. */
  async next(): Promise<void> {
    if (!this.#isSliceOver) return;
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
}

/** The CPU time of this thread until now. */
export function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
