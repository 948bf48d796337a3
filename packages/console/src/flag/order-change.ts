import type { FlagEnvironment } from '../save/after.ts';
import type { FlagChange } from '../save/change.ts';

/** The change that moves a strategy to another place among those of the environment. */
export function orderChange({ name, type, strategies }: FlagEnvironment, from: number, to: number): FlagChange {
  const after = strategies.toSpliced(from, 1).toSpliced(to, 0, strategies[from]!);
  return { kind: 'order-strategies', environment: name, environmentType: type, before: strategies, after };
}
