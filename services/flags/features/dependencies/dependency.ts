import { maxParents } from '@yardarm/shared/contracts/flags';
import { AppError, badProperty, redactValue } from '@yardarm/shared/errors';
import type { StoredFeature } from '../feature.ts';

/** What a flag depends on, as in its admin view. */
export interface Dependency {
  feature: string;
  enabled: boolean;
  variants: string[];
}

export interface Family {
  /** The parents that the child has before the change. */
  parents: readonly Dependency[];
  /** Whether the child is the parent of another flag, archived or not. */
  childIsParent: boolean;
  /** Whether the parent itself depends on another flag. */
  parentIsChild: boolean;
}

/**
 * Throws unless the child may depend on the parent: the parent is another flag of the project that is not archived, and
 * there is one level. A flag that is a parent depends on none, so no cycle is possible.
 */
export function requireParent(child: StoredFeature, parent: StoredFeature | undefined, name: string): void {
  if (name === child.name) throw invalidOperation('A feature flag cannot depend on itself.');
  if (parent?.project === child.project && parent.archivedAt === null) return;
  throw badProperty(['feature'], name, `should be a flag of the project ${child.project} that is not archived`);
}

export function requireOneLevel(child: string, { feature: parent }: Dependency, family: Family): void {
  if (family.childIsParent) {
    throw invalidOperation(
      `Transitive dependency detected. Other flags depend on ${redactValue(child, [])}, so it cannot depend on a flag.`,
    );
  }
  if (family.parentIsChild) {
    throw invalidOperation(
      `Transitive dependency detected. ${redactValue(parent, [])} depends on a flag, so no flag can depend on it.`,
    );
  }
  const others = family.parents.filter(({ feature }) => feature !== parent);
  if (others.length < maxParents) return;
  throw new AppError('limit-exceeded', `A flag may depend on at most ${maxParents} flags.`);
}

export function dependencyNotFound(child: string, parent: string): AppError {
  return new AppError(
    'not-found',
    `Could not find a dependency of the feature ${redactValue(child, [])} on ${redactValue(parent, [])}.`,
  );
}

export function noDependencies(child: string): AppError {
  return new AppError('not-found', `The feature ${redactValue(child, [])} has no dependencies.`);
}

function invalidOperation(message: string): AppError {
  return new AppError('invalid-operation', message);
}
