import { AppError, redactValue } from '@yardarm/shared/errors';

/** `not-found` of an environment, of all or of those of a project. */
export function environmentNotFound(name: string, project?: string): AppError {
  const where = project === undefined ? '' : ` in the project ${redactValue(project, [])}`;
  return new AppError('not-found', `Could not find the environment with name ${redactValue(name, [])}${where}.`);
}
