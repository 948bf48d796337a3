import { type Budget, BudgetExceeded, noBudget } from '@yardarm/evaluation';
import { type Step, stepActions } from '@yardarm/shared/contracts/flags';
import type { ActionSet } from '@yardarm/shared/contracts/signals';
import { badProperty, describeIssues } from '@yardarm/shared/errors';
import { countPathParts, findScalar, maxPathParts, textOf } from './payload-path.ts';

export type Action = Pick<ActionSet['actions'][number], 'action' | 'executionParams'>;

type Parameters = Readonly<Record<string, string>>;

/** As long as a parameter that an administrator may write. Every parameter of a step has a shorter limit. */
const maxTextLength = 1000;

/** `{{payload.labels.flag}}`: neither braces nor other expressions. A text may hold several, and more text around. */
const pathPattern = /\{\{([^{}]*)\}\}/g;

/**
 * The step of an action for a payload. Payload paths are replaced by the scalars that they lead to, and the result is
 * checked again. `problem` is a sentence that says why there is no step. The project must be that of the set.
 */
export function resolveStep(
  action: Action,
  payload: unknown,
  projectId: string,
  budget = noBudget,
): { step: Step } | { problem: string } {
  const { parameters, problem } = resolveParameters(action, payload, budget);
  if (problem !== null) return { problem };
  const { data, error } = stepActions[action.action].safeParse(parameters);
  if (error)
    return {
      problem: describeIssues(error.issues, parameters)
        .map(({ message }) => message)
        .join(' '),
    };
  if (data.project !== projectId) {
    const words = `should be the project of the action set, ${JSON.stringify(projectId)}`;
    return { problem: badProperty(['project'], data.project, words).message };
  }
  return { step: { action: action.action, parameters: data } as Step };
}

/**
 * The parameters of an action as text, with payload paths replaced. What replaces a path is not read again, so a
 * payload cannot contain paths. `problem` is about the first parameter without a value, which stays as it was written.
 */
export function resolveParameters(
  { executionParams }: Pick<Action, 'executionParams'>,
  payload: unknown,
  budget = noBudget,
): { parameters: Parameters; problem: string | null } {
  const problems: string[] = [];
  const parameters = Object.entries(executionParams).map(([name, written]) => {
    const resolved = typeof written === 'string' ? resolveText(written, payload, budget) : { text: String(written) };
    if ('text' in resolved) return [name, resolved.text];
    problems.push(`The .${name} property ${resolved.problem}.`);
    return [name, String(written)];
  });
  return { parameters: Object.fromEntries(parameters), problem: problems[0] ?? null };
}

/** Whether the value of a parameter depends on the payload. */
export function hasPayloadPath(written: string | number | boolean): boolean {
  return typeof written === 'string' && written.includes('{{');
}

/** What is wrong with the payload paths of a parameter, or null. */
export function payloadPathProblem(written: string | number | boolean): string | null {
  if (!hasPayloadPath(written)) return null;
  const text = String(written);
  const paths = [...text.matchAll(pathPattern)].map(([, expression = '']) => pathOf(expression));
  if (paths.includes(null) || /\{\{\{|\}\}\}/.test(text) || /\{\{|\}\}/.test(text.replace(pathPattern, ''))) {
    return 'should hold payload paths of the form {{payload.labels.flag}} only';
  }
  if (paths.some((path) => countPathParts(path ?? '') > maxPathParts)) {
    return `should hold payload paths of at most ${maxPathParts} parts`;
  }
  return null;
}

function resolveText(written: string, payload: unknown, budget: Budget): { text: string } | { problem: string } {
  try {
    return replacePaths(written, payload, budget);
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    return { problem: 'holds a payload path that takes too long to follow in this payload' };
  }
}

function replacePaths(written: string, payload: unknown, budget: Budget): { text: string } | { problem: string } {
  const pathProblem = payloadPathProblem(written);
  if (pathProblem !== null) return { problem: pathProblem };
  const missing: string[] = [];
  const text = written.replace(pathPattern, (_, expression: string) => {
    const found = textOf(findScalar(payload, pathOf(expression) ?? '', budget));
    if (found === null) missing.push(expression.trim());
    return found ?? '';
  });
  if (missing.length > 0) return { problem: `needs ${missing[0]}, which is no text, number or boolean of the payload` };
  // Number('') is 0: an empty rollout must not switch a flag off.
  if (text.trim() === '') return { problem: 'should not be empty' };
  return text.length > maxTextLength ? { problem: `should have at most ${maxTextLength} characters` } : { text };
}

/** The path after `payload.`, or null if the expression is no payload path. */
function pathOf(expression: string): string | null {
  return /^payload\.(.+)$/s.exec(expression.trim())?.[1] ?? null;
}
