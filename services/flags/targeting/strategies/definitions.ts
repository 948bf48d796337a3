import type { StrategyTypeParameter } from '@yardarm/shared/contracts/flags';
import type { LegalValues } from './constraint.ts';

/** What strategies refer to by name or id, as far as it exists. */
export interface Definitions {
  legalValues: LegalValues;
  /** The parameters of the custom types, by the type's name. */
  types: ReadonlyMap<string, readonly StrategyTypeParameter[]>;
  /** The ids of the segments that the project may use. */
  segments: ReadonlySet<number>;
}

/** Enough for a strategy of a built-in type without constraints and segments. */
export const noDefinitions: Definitions = { legalValues: new Map(), types: new Map(), segments: new Set() };
