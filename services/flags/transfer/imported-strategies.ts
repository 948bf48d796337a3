import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ImportedFeatures, Strategy } from '@yardarm/shared/contracts/flags';
import type { Limits } from '../places/limits/limits.ts';
import type { Definitions } from '../targeting/strategies/definitions.ts';
import { checkedStrategy, errorsOfStrategy } from '../targeting/strategies/strategy.ts';
import type { FeatureState, ImportTarget } from './import-target.ts';
import type { Problems } from './problems.ts';

type Imported = ImportedFeatures['featureStrategies'][number];

export interface StrategyChange {
  added: Strategy[];
  removed: Strategy[];
}

export interface Checking {
  target: ImportTarget;
  limits: Limits;
  problems: Problems;
  /** The names of the document's segments, by their ids there. */
  segmentNames: ReadonlyMap<number, string>;
  definitions: Definitions;
}

/** The strategies of a flag in the environment become those of the document. Null when they already are. */
export function changeOfStrategies(
  featureName: string,
  imported: readonly Imported[],
  state: FeatureState | undefined,
  { target, limits, problems, segmentNames, definitions }: Checking,
): StrategyChange | null {
  if (imported.length > limits.strategies) {
    // None of them is checked: a document has room for hundreds of thousands.
    problems.add(`A flag may have at most ${limits.strategies} strategies in an environment:`, featureName);
    return null;
  }
  const removed = state?.strategies ?? [];
  const added = imported.flatMap((strategy, index) => {
    const { ids, missing } = segmentsOf(strategy, segmentNames, target);
    for (const name of missing) problems.add('These segments do not exist and need to be created first:', name);
    const sorted = { ...strategy, segments: ids, sortOrder: strategy.sortOrder ?? index };
    const errors = [...errorsOfStrategy(sorted, limits, definitions)];
    for (const { message } of errors) problems.add('These strategies are invalid:', `${featureName}: ${message}`);
    if (errors.length > 0) return [];
    const { sortOrder } = sorted;
    return { ...checkedStrategy(sorted, featureName, limits, definitions), id: randomUUID(), featureName, sortOrder };
  });
  const isSame =
    added.length === removed.length && added.every((strategy, index) => isEqual(strategy, removed[index]!));
  return isSame ? null : { added, removed };
}

/** Whether both strategies are equal, apart from their ids. */
function isEqual(strategy: Strategy, other: Strategy): boolean {
  return isDeepStrictEqual({ ...strategy, id: other.id }, other);
}

/** The ids of a document may be those of another installation, so that the names decide. */
function segmentsOf({ segments }: Imported, segmentNames: ReadonlyMap<number, string>, target: ImportTarget) {
  const names = segments.map((id) => segmentNames.get(id) ?? `${id}`);
  return {
    ids: names.flatMap((name) => target.segments.get(name) ?? []),
    missing: names.filter((name) => !target.segments.has(name)),
  };
}

/** What the strategies and variants of a flag have as JSON. */
export function bytesOf(strategies: readonly Strategy[], variants: unknown): number {
  const parts = strategies.flatMap(({ parameters, constraints, variants: own }) => [parameters, constraints, own]);
  return [...parts, variants].reduce<number>((sum, part) => sum + Buffer.byteLength(JSON.stringify(part)), 0);
}
