import type { ErrorCode } from '@yardarm/shared/contracts';
import { executeStep, maxFeatureNames, type Strategy, type Tag } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';

/** The stored result of a step, which every repetition has too. */
export type StepOutcome = { status: 'done'; details: string } | { status: 'refused'; code: ErrorCode; message: string };

/** The refusals that are an outcome. After any other error the step is not done, and a repetition tries it again. */
const refusals: readonly ErrorCode[] = [...executeStep.errors, 'no-access'];

/** The outcome of a step that ended with the error; null when the step is not done or its outcome is unknown. */
export function outcomeOfError(error: unknown): StepOutcome | null {
  if (!(error instanceof AppError) || !refusals.includes(error.code)) return null;
  // A long name in the message may end within a character. Postgres stores no half characters.
  return { status: 'refused', code: error.code, message: error.message.toWellFormed() };
}

/** Throws the refusal of a step that was refused. */
export function answerOf(outcome: StepOutcome): { details: string } {
  if (outcome.status === 'refused') throw new AppError(outcome.code, outcome.message);
  return { details: outcome.details };
}

/** The tag of `type:value`. A value may contain colons. */
export function tagOf(text: string): Tag {
  const colon = text.indexOf(':');
  return { type: text.slice(0, colon), value: text.slice(colon + 1) };
}

export function tooManyTagged(project: string, tag: string): AppError {
  return new AppError(
    'limit-exceeded',
    `One action switches at most ${maxFeatureNames} flags. More flags of the project ${named(project)} have the tag ${named(tag)}.`,
  );
}

const hasRollout = ({ name }: Pick<Strategy, 'name'>) => name === 'flexibleRollout';

/** The strategy whose rollout is set when the step names none. Throws `bad-data` unless there is exactly one. */
export function onlyRollout(
  strategies: readonly Strategy[],
  { featureName, environment }: { featureName: string; environment: string },
): string {
  const [first, ...others] = strategies.filter(hasRollout);
  if (first !== undefined && others.length === 0) return first.id;
  const count = first === undefined ? 0 : others.length + 1;
  throw new AppError(
    'bad-data',
    `The feature ${named(featureName)} has ${count} strategies of the type flexibleRollout in the environment ${named(environment)}. An action without strategyId requires exactly one.`,
  );
}

/** The strategy with another rollout. Throws `bad-data` when its type has none. */
export function withRollout(strategy: Strategy, rollout: number): Strategy {
  if (hasRollout(strategy)) {
    return { ...strategy, parameters: { ...strategy.parameters, rollout: String(rollout) } };
  }
  throw new AppError(
    'bad-data',
    `The strategy with ID ${named(strategy.id)} has the type ${named(strategy.name)}. An action sets the rollout of the type flexibleRollout only.`,
  );
}

/** A name in quotes. A long one ends early, and may end within a character. */
export function named(name: string): string {
  return redactValue(name, []).toWellFormed();
}
