import { can } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import { stepPermissions, type VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { NewActionSet } from '@yardarm/shared/contracts/signals';
import { type AppError, badProperty } from '@yardarm/shared/errors';
import type { Path } from './check-action-set.ts';
import { hasPayloadPath } from './parameters.ts';

/** What a set names in other services, as far as it exists. */
export interface References {
  projectId: string;
  environments: readonly string[];
  /** The flags of the project that the set names. */
  features: ReadonlyMap<string, VersionedFeature>;
  /** The service account as an actor; null if there is no such account. */
  actor: Actor | null;
}

type Action = NewActionSet['actions'][number];

/** A parameter as it was written; null without one, or if it depends on the payload. */
function writtenText({ executionParams }: Action, name: string): string | null {
  const written = Object.hasOwn(executionParams, name) ? executionParams[name] : undefined;
  return written === undefined || hasPayloadPath(written) ? null : String(written);
}

/** The names of the flags that a set names without a payload path. */
export function featureNamesOf(set: NewActionSet): string[] {
  return [...new Set(set.actions.flatMap((action) => writtenText(action, 'featureName') ?? []))];
}

/** What refuses a set because something that it names does not exist, or because its actor may not do its actions. */
export function* referenceErrors(set: NewActionSet, references: References, path: Path): Generator<AppError> {
  const { actor } = references;
  if (actor === null) {
    yield badProperty([...path, 'actorId'], set.actorId, 'should be the id of a service account');
  }
  for (const [index, action] of set.actions.entries()) {
    yield* missingPlaces(action, references, [...path, 'actions', index, 'executionParams']);
    const problem = actor === null ? null : missingPermission(action, actor, references);
    if (problem !== null) yield badProperty([...path, 'actorId'], set.actorId, problem);
  }
}

function* missingPlaces(action: Action, { projectId, environments, features }: References, path: Path) {
  const ofProject = `of the project ${JSON.stringify(projectId)}`;
  const environment = writtenText(action, 'environment');
  if (environment !== null && !environments.includes(environment)) {
    yield badProperty([...path, 'environment'], environment, `should be an environment ${ofProject}`);
  }
  const name = writtenText(action, 'featureName');
  if (name === null) return;
  const feature = features.get(name);
  if (feature === undefined || feature.archived) {
    yield badProperty([...path, 'featureName'], name, `should be a flag ${ofProject} that is not archived`);
    return;
  }
  const strategyId = writtenText(action, 'strategyId');
  const places = feature.environments.filter((place) => environment === null || place.name === environment);
  if (strategyId !== null && !places.some(({ strategies }) => strategies.some(({ id }) => id === strategyId))) {
    const where = environment === null ? '' : ` in the environment ${JSON.stringify(environment)}`;
    yield badProperty([...path, 'strategyId'], strategyId, `should be the id of a strategy of the flag${where}`);
  }
}

/** With an environment of the payload, the permission in one environment is enough. flags checks each step. */
function missingPermission(action: Action, actor: Actor, { projectId, environments }: References): string | null {
  const permission = stepPermissions[action.action];
  const environment = writtenText(action, 'environment');
  const hasEnvironment = Object.hasOwn(action.executionParams, 'environment');
  const places = !hasEnvironment ? [undefined] : environment === null ? environments : [environment];
  if (places.some((place) => can(actor, permission, { project: projectId, environment: place }))) return null;
  const where = environment === null ? '' : ` in the environment ${JSON.stringify(environment)}`;
  const what = `the permission ${permission} in the project ${JSON.stringify(projectId)}${where}`;
  return `should be a service account with ${what}, which ${action.action} needs`;
}
