import './jitless.ts';
import { constraintProblem } from '@yardarm/evaluation/pure';
import { newStrategySchema } from '@yardarm/shared/contracts/flags/strategy';
import type { StrategySettings } from '../../save/change.ts';
import { type Errors, sentence } from './errors.ts';

/** What the server would refuse, as far as it is known here, by the contract of a strategy and by its operators. */
export function checkStrategy(strategy: StrategySettings): Errors {
  const errors: Record<string, string> = {};
  const note = (path: PropertyKey[], words: string) => {
    errors[textOf(path)] ??= sentence(words);
  };
  const { error } = newStrategySchema.safeParse(strategy);
  for (const { path, message } of error?.issues ?? []) note(path, message);
  for (const [index, constraint] of strategy.constraints.entries()) {
    const problem = constraintProblem(constraint);
    if (problem) note(['constraints', index, ...problem.path], problem.words);
  }
  return errors;
}

/** As the API names a property. */
function textOf(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
}
