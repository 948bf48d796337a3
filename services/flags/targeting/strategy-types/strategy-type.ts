import type { StrategyType } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { Row } from '../../db/rows.ts';
import { isBuiltIn } from '../strategies/known-strategies.ts';

export type StoredStrategyType = Omit<Row<'strategy_types'>, 'createdAt'>;

export function toStrategyType({ name, title, description, parameters, deprecated }: StoredStrategyType): StrategyType {
  return { name, displayName: null, title, description, editable: true, deprecated, parameters };
}

/** The type as `data` and `preData` of its events. */
export function strategyTypeEventData({ name, title, description, parameters, deprecated }: StoredStrategyType) {
  return { name, title, description, parameters, editable: true, deprecated };
}

export function strategyTypeOrderingKey(name: string): string {
  return `strategy-type:${name}`;
}

export function strategyTypeNotFound(name: string): AppError {
  return new AppError('not-found', `Could not find the strategy type with name ${redactValue(name, [])}.`);
}

export function strategyTypeExists(name: string): AppError {
  return new AppError('name-exists', `There is already a strategy type with name ${redactValue(name, [])}.`);
}

export function strategyTypeInUse(name: string, features: readonly string[]): AppError {
  const flags = features.map((feature) => redactValue(feature, [])).join(', ');
  return new AppError(
    'conflict',
    `The strategy type ${redactValue(name, [])} is in use, first by the flags ${flags}. Remove these strategies first.`,
  );
}

/** Throws `bad-data` for a built-in type, which nobody can change. */
export function requireCustomType(name: string): void {
  if (!isBuiltIn(name)) return;
  const sent = redactValue(name, []);
  throw new AppError('bad-data', `The strategy type ${sent} is built-in: it can be neither changed nor deleted.`);
}
