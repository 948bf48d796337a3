import { isDeepStrictEqual } from 'node:util';
import { type ImportedFeatures, maxParents } from '@yardarm/shared/contracts/flags';
import { type Dependency, hasValidVariants } from '../features/dependencies/dependency.ts';
import type { ImportTarget } from './import-target.ts';
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
  invalidFlags: readonly string[],
  target: ImportTarget,
  problems: Problems,
): (child: string) => DependencyChange[] {
  // A parent that is named twice is as it is named last.
  const imported = new Map(
    data.dependencies.map(({ feature, dependencies }) => [
      feature,
      [...new Map(dependencies.map((dependency) => [dependency.feature, dependency])).values()],
    ]),
  );
  const names = new Set([...data.features.map(({ name }) => name), ...invalidFlags]);
  const pairs = [...imported].flatMap(([child, parents]) => parents.map(({ feature }) => ({ child, parent: feature })));
  const children = new Set([...pairs, ...target.families].map(({ child }) => child));
  const parents = new Set([
    ...pairs.map(({ parent }) => parent),
    ...target.families.map(({ dependency }) => dependency.feature),
  ]);
  const parentsOf = Map.groupBy(target.families, (family) => family.child);

  return (child) => {
    const after = imported.get(child) ?? [];
    const present = (parentsOf.get(child) ?? []).map(({ dependency }) => dependency);
    const all = new Set([...present, ...after].map(({ feature }) => feature));
    if (all.size > maxParents) problems.add(`A flag may depend on at most ${maxParents} flags:`, child);
    return after.flatMap((dependency) => {
      const { feature } = dependency;
      if (!hasValidVariants(dependency))
        problems.add('These flags would depend on variants of a flag that has to be disabled, which has none:', child);
      const parent = target.features.get(feature);
      const exists = names.has(feature) || (parent?.project === target.project.id && parent.archivedAt === null);
      if (!exists)
        problems.add('These parents of flags do not exist in the project and need to be created first:', feature);
      if (feature === child || parents.has(child) || children.has(feature)) {
        problems.add('These flags would depend on a flag that depends on another:', child);
      }
      const before = present.find((one) => one.feature === feature) ?? null;
      return isDeepStrictEqual(before, dependency) ? [] : [{ before, after: dependency }];
    });
  };
}
