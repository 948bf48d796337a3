import type { NewStrategy, StrategyTypeParameter } from '@yardarm/shared/contracts/flags';
import { type AppError, badProperty } from '@yardarm/shared/errors';
import type { Definitions } from './definitions.ts';
import { builtInDefaults, builtInPercentages, builtInTypes, isBuiltIn } from './known-strategies.ts';

const isNumber = (value: string) => value.trim() !== '' && Number.isFinite(Number(value));
const isPercentage = (value: string) => /^\d{1,3}(\.\d+)?$/.test(value) && Number(value) <= 100;

const forms: Record<StrategyTypeParameter['type'], { isValid: (value: string) => boolean; words: string }> = {
  string: { isValid: () => true, words: '' },
  list: { isValid: () => true, words: '' },
  percentage: { isValid: isPercentage, words: 'should be a number from 0 to 100' },
  number: { isValid: isNumber, words: 'should be a number' },
  boolean: { isValid: (value) => value === 'true' || value === 'false', words: 'should be true or false' },
};

/**
 * `bad-data` that names the property for an unknown type and for each parameter that its definition does not allow.
 * Parameters that the definition does not name are accepted. Of a built-in type only the percentages are checked.
 */
export function* errorsOfParameters(
  { name, parameters }: NewStrategy,
  types: Definitions['types'],
): Generator<AppError> {
  const definitions = definitionOf(name, types);
  if (!definitions) {
    const names = builtInTypes.map((type) => type.name).join(', ');
    yield badProperty(['name'], name, `should be one of ${names} or the name of a custom strategy type`);
  }
  for (const definition of definitions ?? []) {
    // Forms send an empty text for each empty field.
    const value = Object.hasOwn(parameters, definition.name) ? parameters[definition.name] : undefined;
    if (value === undefined || value === '') {
      if (definition.required) {
        yield badProperty(['parameters', definition.name], value, `is required by the strategy type ${name}`);
      }
    } else if (!forms[definition.type].isValid(value)) {
      yield badProperty(['parameters', definition.name], value, forms[definition.type].words);
    }
  }
}

function definitionOf(name: string, types: Definitions['types']): readonly StrategyTypeParameter[] | undefined {
  return isBuiltIn(name) ? builtInPercentages(name) : types.get(name);
}

/** An empty parameter counts as absent: forms send one for each empty field. */
export function withDefaults(
  { name, parameters }: Pick<NewStrategy, 'name' | 'parameters'>,
  featureName: string,
): Record<string, string> {
  const absent = Object.entries(builtInDefaults(name, featureName)).filter(([parameter]) => !parameters[parameter]);
  return { ...parameters, ...Object.fromEntries(absent) };
}
