import { isDeepStrictEqual } from 'node:util';
import type { ImportedFeatures } from '@yardarm/shared/contracts/flags';
import type { Dependency, Known } from './known.ts';
import type { Problems } from './problems.ts';

export interface DependencyChange {
  /** Null when the flag does not depend on that parent yet. */
  before: Dependency | null;
  after: Dependency;
}

/**
 * Returns what the document changes about the parents of a flag. There is one level of dependencies, after the import
 * too, so that no cycle is possible.
 */
export function plannedDependencies(
  data: ImportedFeatures,
  known: Known,
  problems: Problems,
): (child: string) => DependencyChange[] {
  const imported = new Map(data.dependencies.map(({ feature, dependencies }) => [feature, dependencies]));
  const names = new Set(data.features.map(({ name }) => name));
  const pairs = [...imported].flatMap(([child, parents]) => parents.map(({ feature }) => ({ child, parent: feature })));
  const children = new Set([...pairs, ...known.families].map(({ child }) => child));
  const parents = new Set([
    ...pairs.map(({ parent }) => parent),
    ...known.families.map(({ dependency }) => dependency.feature),
  ]);
  const present = new Map(
    known.families.map(({ child, dependency }) => [JSON.stringify([child, dependency.feature]), dependency]),
  );

  return (child) =>
    (imported.get(child) ?? []).flatMap((after) => {
      const { feature } = after;
      const parent = known.features.get(feature);
      const exists = names.has(feature) || (parent?.project === known.project.id && parent.archivedAt === null);
      if (!exists)
        problems.add('These parents of flags do not exist in the project and need to be created first:', feature);
      if (feature === child || parents.has(child) || children.has(feature)) {
        problems.add('These flags would depend on a flag that depends on another:', child);
      }
      const before = present.get(JSON.stringify([child, feature])) ?? null;
      return isDeepStrictEqual(before, after) ? [] : [{ before, after }];
    });
}
