import { TimeBudget } from '@yardarm/evaluation';
import type { Step } from '@yardarm/shared/contracts/flags';
import type { ActionSet } from '@yardarm/shared/contracts/signals';
import { AppError, coerceError } from '@yardarm/shared/errors';
import { type BackoffLimits, backoff } from '@yardarm/shared/waiting';
import { compileMatch, FilterTooSlow, maxFiltersMs } from '../action-sets/matching.ts';
import { resolveStep } from '../action-sets/parameters.ts';
import { parsePayload } from '../action-sets/payload.ts';

export type RunState = 'waiting' | 'started' | 'success' | 'failed';
export type StepState = 'not started' | 'started' | 'success' | 'failed';

/** A set that was enabled when the signals were taken. */
export interface EnabledSet {
  actionSet: ActionSet;
  enabledAt: Date;
  /** When the last signal that matched was created. */
  lastMatchedAt: Date | null;
  /** How often the set was disabled. */
  disables: number;
  /** When its project was created; null if the previous version saved the set. */
  projectCreatedAt: Date | null;
}

export interface TakenSignal {
  id: number;
  /** Of its message in the stream. */
  sequence: number;
  /** The payload of the signal, as the text of JSON. */
  payload: string;
  createdAt: string;
  traceparent: string | null;
}

export interface NewRun {
  signalId: number;
  set: EnabledSet;
  traceparent: string | null;
  /** The steps in the order in which they are executed. */
  steps: ({ step: Step } | { problem: string })[];
}

/**
 * After this time no further signal of a batch is taken. Its transaction sends no statement meanwhile, which Postgres
 * allows for 10 s, and who enables a set of the endpoint waits for it.
 */
const maxTakingMs = 1_000;

/**
 * A run keeps its set as text. After so much of it, in characters, no further signal of a batch is taken: all runs of
 * a transaction are one statement, of which this process and Postgres hold some copies.
 */
const maxTaken = 10_000_000;

export interface RunsOfSignals {
  runs: NewRun[];
  /** When the last signal was created that matched a set, by the id of the set. */
  lastMatched: Map<number, Date>;
  /** How many of the signals, from the first one, the runs are of. Not 0 unless there are none. */
  count: number;
}

/**
 * The runs of signals in stream order, as many as `maxTakingMs` and `maxTaken` allow. A set whose filters take longer
 * than the budget of the signal has a run without an action that was run. Other work of the process runs between two
 * filters, actions or signals that take long.
 */
export async function runsOf(sets: readonly EnabledSet[], signals: readonly TakenSignal[]): Promise<RunsOfSignals> {
  const endsAt = performance.now() + maxTakingMs;
  const compiled = sets.map((set) => ({
    set,
    matches: compileMatch(set.actionSet.match),
    characters: JSON.stringify(set.actionSet).length,
  }));
  const runs: NewRun[] = [];
  const lastMatched = new Map<number, Date>();
  const budget = new TimeBudget(maxFiltersMs);
  if (compiled.length === 0) return { runs, lastMatched, count: signals.length };
  let count = 0;
  let taken = 0;
  for (const { id, payload: text, createdAt, traceparent } of signals) {
    if (count > 0 && (taken >= maxTaken || performance.now() >= endsAt)) break;
    count += 1;
    const payload = parsePayload(text);
    // Columns have microseconds and a Date has none, so a comparison of the milliseconds loses no signal.
    const createdMs = Date.parse(createdAt);
    budget.renew();
    for (const { set, matches, characters } of compiled) {
      const { actionSet, enabledAt, lastMatchedAt } = set;
      const last = lastMatched.get(actionSet.id) ?? lastMatchedAt;
      const isCoolingDown = last !== null && createdMs < last.getTime() + actionSet.cooldownSeconds * 1_000;
      const isOld = createdMs < enabledAt.getTime();
      if (isOld || (actionSet.cooldownSeconds > 0 && isCoolingDown)) continue;
      const matched = await matchWithin(matches, payload, budget);
      if (matched === false) continue;
      taken += characters;
      const actions = [...actionSet.actions].sort((a, b) => a.sortOrder - b.sortOrder);
      if (typeof matched === 'string') {
        runs.push({ signalId: id, set, traceparent, steps: actions.map(() => ({ problem: matched })) });
        continue;
      }
      lastMatched.set(actionSet.id, new Date(Math.max(createdMs, last?.getTime() ?? 0)));
      const steps: NewRun['steps'] = [];
      for (const action of actions) {
        await budget.next();
        steps.push(resolveStep(action, payload, actionSet.project, budget));
      }
      runs.push({ signalId: id, set, traceparent, steps });
    }
  }
  return { runs, lastMatched, count };
}

/** Whether the payload satisfies the filters, or why that is unknown. */
async function matchWithin(
  matches: ReturnType<typeof compileMatch>,
  payload: unknown,
  budget: TimeBudget,
): Promise<boolean | string> {
  try {
    return await budget.finish(() => matches(payload, budget));
  } catch (error) {
    if (error instanceof FilterTooSlow) return error.message;
    throw error;
  }
}

export type Outcome =
  | { state: 'success' | 'failed'; details: string }
  /** Tried again. `isUnknown`: the step may have taken effect. */
  | { state: 'retry'; details: string; isUnknown: boolean };

/** Longer texts of an error are cut, so that a list of runs stays small. */
const maxDetails = 1_000;

/** Postgres stores no NUL, and a message may repeat a parameter with one. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').slice(0, maxDetails).toWellFormed();
}

/**
 * What an error of a call means for the step. `unavailable` means that nothing was done. The outcome of a timeout, of
 * an error without a code and of an error of flags (`internal`) is unknown. Every other code is an answer, and final.
 */
export function outcomeOf(thrown: unknown): Outcome {
  const error = coerceError(thrown);
  const code = error instanceof AppError ? error.code : 'internal';
  // The text of an error that is no AppError stays in the log.
  const details = storableText(error instanceof AppError ? error.message : 'The step could not be called.');
  if (code === 'unavailable' || code === 'maintenance') return { state: 'retry', details, isUnknown: false };
  if (code === 'timeout' || code === 'internal') return { state: 'retry', details, isUnknown: true };
  return { state: 'failed', details };
}

/** A restart of a service takes a second or two. During an outage each endpoint calls once in ten seconds. */
const retry: BackoffLimits = { firstMs: 500, maxMs: 10_000 };

export function retryDelayMs(failures: number): number {
  return backoff(failures, retry);
}
