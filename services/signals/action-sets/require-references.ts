import { type Bus, type RequestContext, requestBeforeChange } from '@yardarm/shared/bus';
import { resolveActor } from '@yardarm/shared/contracts/accounts';
import {
  findMissingProjectsAndEnvironments,
  getFeature,
  type Incarnation,
  listProjectEnvironments,
  type VersionedFeature,
} from '@yardarm/shared/contracts/flags';
import type { NewActionSet } from '@yardarm/shared/contracts/signals';
import { AppError, throwFirst } from '@yardarm/shared/errors';
import { projectNotFound } from './action-set.ts';
import type { Path } from './check-action-set.ts';
import { featureNamesOf, referenceErrors } from './references.ts';

/**
 * Throws `bad-data` unless what a set names exists and its actor may do its actions, and `not-found` without the
 * project. Returns the project. Call it before a transaction, never within one. What it found can change at any time:
 * the run then fails.
 */
export async function requireReferences(
  bus: Bus,
  projectId: string,
  set: NewActionSet,
  context: RequestContext,
  path: Path,
): Promise<Incarnation> {
  const names = featureNamesOf(set);
  const [project, environments, { actor }, features] = await requestBeforeChange(context, (inner) =>
    Promise.all([
      findProject(bus, projectId, inner),
      listEnvironments(bus, projectId, inner),
      bus.request(resolveActor, { serviceAccountId: set.actorId }, inner),
      Promise.all(names.map((name) => findFeature(bus, projectId, name, inner))),
    ]),
  );
  const found = features.flatMap((feature): [string, VersionedFeature][] => (feature ? [[feature.name, feature]] : []));
  throwFirst(referenceErrors(set, { projectId, environments, features: new Map(found), actor }, path));
  return project;
}

/** The names of the environments of a project. Throws `not-found` without the project. */
export function findEnvironments(bus: Bus, projectId: string, context: RequestContext): Promise<string[]> {
  return requestBeforeChange(context, (inner) => listEnvironments(bus, projectId, inner));
}

async function findProject(bus: Bus, id: string, context: RequestContext): Promise<Incarnation> {
  const { found } = await bus.request(
    findMissingProjectsAndEnvironments,
    { projects: [id], environments: [] },
    context,
  );
  if (found[0] === undefined) throw projectNotFound(id);
  return found[0];
}

async function listEnvironments(bus: Bus, projectId: string, context: RequestContext): Promise<string[]> {
  const { environments } = await bus.request(listProjectEnvironments, { projectId }, context);
  return environments.flatMap(({ name, visible }) => (visible ? [name] : []));
}

async function findFeature(
  bus: Bus,
  projectId: string,
  featureName: string,
  context: RequestContext,
): Promise<VersionedFeature | null> {
  try {
    return await bus.request(getFeature, { projectId, featureName }, context);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-found') return null;
    throw error;
  }
}
