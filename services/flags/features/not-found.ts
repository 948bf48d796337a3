import { AppError, redactValue } from '@yardarm/shared/errors';

/** A flag of another project is as absent as one that nobody made, and so is an archived one to all but reading and reviving. */
export function featureNotFound(project: string, name: string): AppError {
  return new AppError(
    'not-found',
    `Could not find the feature with name ${redactValue(name, [])} in the project ${redactValue(project, [])}.`,
  );
}

export function projectNotFound(project: string): AppError {
  return new AppError('not-found', `Could not find the project with ID ${redactValue(project, [])}.`);
}

export function missingEnvironment(project: string, environment: string): AppError {
  return new AppError(
    'not-found',
    `Could not find the environment with name ${redactValue(environment, [])} in the project ${redactValue(project, [])}.`,
  );
}
