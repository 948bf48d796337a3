import { isDeepStrictEqual } from 'node:util';
import { type ImportedFeatures, maxParents } from '@yardarm/shared/contracts/flags';
import { type Dependency, hasValidVariants } from '../features/dependencies/dependency.ts';
import type { ImportTarget } from './import-target.ts';
import type { Problems } from './problems.ts';

export interface DependencyChanges {
  /** `before` is null when the flag does not depend on that parent yet. */
  set: { before: Dependency | null; after: Dependency }[];
  removed: Dependency[];
}

/**
 * Returns what the document changes about the parents of a flag, which become those of the document if it names any for
 * the flag. There is one level of dependencies, after the import too, so that no cycle is possible.
 */
export function plannedDependencies(
  data: ImportedFeatures,
  invalidFlags: readonly string[],
  target: ImportTarget,
  problems: Problems,
): (child: string) => DependencyChanges {
  // A parent that is named twice is as it is named last.
  const imported = new Map(
    data.dependencies.map(({ feature, dependencies }) => [
      feature,
      [...new Map(dependencies.map((dependency) => [dependency.feature, dependency])).values()],
    ]),
  );
  const names = new Set([...data.features.map(({ name }) => name), ...invalidFlags]);
  const pairs = [...imported].flatMap(([child, parents]) => parents.map(({ feature }) => ({ child, parent: feature })));
  const staying = target.families.filter(({ child }) => !imported.has(child));
  const children = new Set([...pairs, ...staying].map(({ child }) => child));
  const parents = new Set([
    ...pairs.map(({ parent }) => parent),
    ...staying.map(({ dependency }) => dependency.feature),
  ]);
  const parentsOf = Map.groupBy(target.families, (family) => family.child);

  return (child) => {
    const after = imported.get(child);
    if (!after) return { set: [], removed: [] };
    if (after.length > maxParents) problems.add(`A flag may depend on at most ${maxParents} flags:`, child);
    const present = (parentsOf.get(child) ?? []).map(({ dependency }) => dependency);
    const removed = present.filter((one) => !after.some(({ feature }) => feature === one.feature));
    const set = after.flatMap((dependency) => {
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
    return { set, removed };
  };
}
