// The client shape of flags and segments. Only what evaluation reads is named, and what a definition may lack is
// optional: a file for the tests of an SDK has less than the answer of /api/client/features.

export interface ConstraintDefinition {
  readonly contextName: string;
  readonly operator: string;
  readonly caseInsensitive?: boolean;
  readonly inverted?: boolean;
  readonly values?: readonly string[];
  readonly value?: string;
}

export interface SegmentDefinition {
  readonly id: number;
  readonly name?: string;
  readonly constraints?: readonly ConstraintDefinition[];
}

export interface VariantDefinition {
  readonly name: string;
  readonly weight: number;
  readonly stickiness?: string;
  readonly payload?: { readonly type: string; readonly value: string };
  readonly overrides?: readonly { readonly contextName: string; readonly values: readonly string[] }[];
}

export interface StrategyDefinition {
  readonly name: string;
  /** A disabled strategy counts as absent. Only administrators see it. */
  readonly disabled?: boolean | null;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly constraints?: readonly ConstraintDefinition[];
  /** The ids of the segments that the strategy uses. */
  readonly segments?: readonly number[];
  readonly variants?: readonly VariantDefinition[];
}

export interface DependencyDefinition {
  readonly feature: string;
  /** Whether the parent should be enabled. Default true. */
  readonly enabled?: boolean;
  readonly variants?: readonly string[];
}

export interface FlagDefinition {
  readonly name: string;
  readonly enabled: boolean;
  readonly strategies: readonly StrategyDefinition[];
  readonly variants?: readonly VariantDefinition[] | null;
  readonly dependencies?: readonly DependencyDefinition[];
}
