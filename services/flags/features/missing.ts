import { AppError, shownValue } from '@yardarm/shared/errors';

/** A flag of another project is as absent as one that nobody made, and so is an archived one to all but reading and reviving. */
export function missingFeature(project: string, name: string): AppError {
  return new AppError(
    'not-found',
    `Could not find the feature with name ${shownValue(name, [])} in the project ${shownValue(project, [])}.`,
  );
}

export function missingProject(project: string): AppError {
  return new AppError('not-found', `Could not find the project with ID ${shownValue(project, [])}.`);
}

export function missingEnvironment(project: string, environment: string): AppError {
  return new AppError(
    'not-found',
    `Could not find the environment with name ${shownValue(environment, [])} in the project ${shownValue(project, [])}.`,
  );
}
