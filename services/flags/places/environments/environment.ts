import type { Environment } from '@yardarm/shared/contracts/flags';
import { AppError, badProperty, redactValue } from '@yardarm/shared/errors';
import type { Row } from '../../db/rows.ts';

export type StoredEnvironment = Row<'environments'>;

export function toEnvironment(stored: StoredEnvironment): Environment {
  const { name, type, sortOrder, enabled, protected: isProtected, requiredApprovals } = stored;
  return { name, type, sortOrder, enabled, protected: isProtected, requiredApprovals };
}

export function environmentEventData(stored: StoredEnvironment): Record<string, unknown> {
  return { ...toEnvironment(stored), createdAt: stored.createdAt.toISOString() };
}

export function environmentOrderingKey(name: string): string {
  return `environment:${name}`;
}

/** `not-found` of an environment, of all or of those of a project. */
export function environmentNotFound(name: string, project?: string): AppError {
  const where = project === undefined ? '' : ` in the project ${redactValue(project, [])}`;
  return new AppError('not-found', `Could not find the environment with name ${redactValue(name, [])}${where}.`);
}

/** `bad-data` of a body that names an environment. */
export function unknownEnvironment(name: string, property: string): AppError {
  return badProperty([property], name, 'should name an environment');
}

export function environmentExists(name: string): AppError {
  return new AppError('name-exists', `There is already an environment called ${redactValue(name, [])}.`);
}

/** A conflict with a message that names the first projects. */
export function environmentInUse(name: string, projects: readonly string[]): AppError {
  const first = projects.slice(0, 3).map((project) => redactValue(project, []));
  const others = projects.length - first.length;
  const list = others === 0 ? first.join(', ') : `${first.join(', ')} and ${others} more`;
  return new AppError(
    'conflict',
    `The environment ${redactValue(name, [])} is in these projects: ${list}. Remove it from them first.`,
  );
}

export function environmentProtected(name: string): AppError {
  return new AppError('operation-denied', `The environment ${redactValue(name, [])} is protected.`);
}
