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
  /** Those of the wanted parents that depend on a flag themselves. */
  parentsWithParents: readonly string[];
}

/**
 * The parents of a request: one, or those of a list. Throws unless it names one or the other and each flag once, and
 * unless variants are those of a parent that has to be enabled.
 */
export function requestedParents(request: {
  feature?: string | undefined;
  enabled: boolean;
  variants: string[];
  parents?: Dependency[] | undefined;
}): Dependency[] {
  const { feature, enabled, variants, parents } = request;
  if (parents === undefined) {
    if (feature === undefined) throw badProperty(['feature'], undefined, 'is required, unless .parents is given');
    return [withValidVariants({ feature, enabled, variants }, ['variants'])];
  }
  if (feature !== undefined) throw badProperty(['feature'], feature, 'cannot be given together with .parents');
  const repeated = parents.find((one, index) => parents.findIndex((each) => each.feature === one.feature) < index);
  if (repeated) throw badProperty(['parents'], repeated.feature, 'should name each flag once');
  return parents.map((parent, index) => withValidVariants(parent, ['parents', index, 'variants']));
}

function withValidVariants(dependency: Dependency, path: (string | number)[]): Dependency {
  if (hasValidVariants(dependency)) return dependency;
  throw badProperty(
    path,
    dependency.variants,
    'should be empty where .enabled is false: a disabled flag has no variant',
  );
}

/** Whether the variants can be those of the parent. A flag that is disabled has none. */
export function hasValidVariants({ enabled, variants }: Dependency): boolean {
  return enabled || variants.length === 0;
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

export function requireOneLevel(child: string, family: Family): void {
  if (family.childIsParent) {
    throw invalidOperation(
      `Transitive dependency detected. Other flags depend on ${redactValue(child, [])}, so it cannot depend on a flag.`,
    );
  }
  const [parent] = family.parentsWithParents;
  if (parent !== undefined) {
    throw invalidOperation(
      `Transitive dependency detected. ${redactValue(parent, [])} depends on a flag, so no flag can depend on it.`,
    );
  }
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
