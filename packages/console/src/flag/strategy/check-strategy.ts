import './jitless.ts';
import { constraintProblem } from '@yardarm/evaluation/pure';
import { newStrategySchema } from '@yardarm/shared/contracts/flags/strategy';
import type { Schemas } from '../../api/client.ts';
import { type Errors, sentence } from '../../api/property-errors.ts';
import type { StrategySettings } from '../../save/change.ts';

type Parameters = Schemas['strategySchema']['parameters'];

/**
 * What the server would refuse, as far as it is known here: by the contract of a strategy, by its operators, and by the
 * parameters of its type.
 */
export function checkStrategy(strategy: StrategySettings, parameters: Parameters = []): Errors {
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
  for (const { name, type, required } of parameters) {
    const words = parameterProblem(type, strategy.parameters[name] ?? '', required ?? false);
    if (words !== null) note(['parameters', name], words);
  }
  return errors;
}

function parameterProblem(type: Parameters[number]['type'], value: string, isRequired: boolean): string | null {
  if (value === '') return isRequired ? 'should not be empty' : null;
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (type === 'percentage') return number >= 0 && number <= 100 ? null : 'should be a number from 0 to 100';
  return type === 'number' && !Number.isFinite(number) ? 'should be a number' : null;
}

/** As the API names a property. */
function textOf(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
}
