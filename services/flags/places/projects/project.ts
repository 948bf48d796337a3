import { AppError, redactValue } from '@yardarm/shared/errors';
import type { Row } from '../../db/rows.ts';

export type StoredProject = Row<'projects'>;

/** The project that every installation has. It is neither archived nor deleted. */
export const defaultProject = 'default';

export function projectOrderingKey(id: string): string {
  return `project:${id}`;
}

/** The project as `data` and `preData` of its events. There are no change requests. */
export function projectEventData(project: StoredProject) {
  const { id, name, description, defaultStickiness, mode, featureLimit, featureNaming, linkTemplates } = project;
  return {
    ...{ id, name, description, defaultStickiness, mode, changeRequestEnvironments: [] },
    ...{ featureLimit, featureNaming, linkTemplates, createdAt: project.createdAt.toISOString() },
  };
}

/** An id made from a name: its letters and digits in lower case. A suffix tells it from the id of another project. */
export function idFromName(name: string, suffix?: string): string {
  const plain = name.normalize('NFKD').replace(/\p{Diacritic}/gu, '');
  const words = plain.toLowerCase().match(/[a-z0-9]+/g) ?? ['project'];
  const id = words.join('-').slice(0, 80);
  return suffix === undefined ? id : `${id}-${suffix}`;
}

/**
 * The environments that are asked for, or all that are on if there are none. Throws `bad-data` for one that does not
 * exist or is off: a project can add only an environment that is on.
 */
export function environmentsOfNewProject(
  known: readonly { name: string; enabled: boolean }[],
  asked: readonly string[] = [],
): string[] {
  const addable = known.filter(({ enabled }) => enabled).map(({ name }) => name);
  const [refused] = asked.filter((name) => !addable.includes(name));
  if (refused !== undefined) {
    const sent = redactValue(refused, []);
    throw new AppError(
      'bad-data',
      `The .environments property should name environments that are on. You sent ${sent}.`,
    );
  }
  return asked.length === 0 ? addable : [...new Set(asked)];
}

export function projectNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find the project with ID ${redactValue(id, [])}.`);
}

/** Nothing is added to an archived project and nothing in it changes, so a write does not find it. */
export function projectArchived(id: string): AppError {
  return new AppError('not-found', `The project with ID ${redactValue(id, [])} is archived. Revive it first.`);
}

export function projectExists(id: string): AppError {
  return new AppError('name-exists', `There is already a project with ID ${redactValue(id, [])}.`);
}

/** `conflict` of a project with flags that are not archived. */
export function projectInUse(id: string, features: readonly string[]): AppError {
  const names = namedFirst(features);
  return new AppError(
    'conflict',
    `The project with ID ${redactValue(id, [])} has flags that are not archived: ${names}. Archive them first.`,
  );
}

/** `conflict` of a project with segments that flags of other projects use. */
export function segmentsInUseElsewhere(id: string, features: readonly string[]): AppError {
  const names = namedFirst(features);
  return new AppError('conflict', `Flags of other projects use segments of ${redactValue(id, [])}: ${names}.`);
}

function namedFirst(names: readonly string[]): string {
  const first = names.slice(0, 3).map((name) => redactValue(name, []));
  return names.length > first.length ? `${first.join(', ')} and others` : first.join(', ');
}

export function isDefaultProject(): AppError {
  return new AppError('operation-denied', `The project "${defaultProject}" can neither be archived nor be deleted.`);
}

/** Refuses a flag above the limit that the project itself has. */
export function featureLimitExceeded(id: string, limit: number): AppError {
  return new AppError(
    'limit-exceeded',
    `The project with ID ${redactValue(id, [])} may have at most ${limit} features. Archive one before you add another.`,
  );
}
