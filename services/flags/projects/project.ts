import { AppError, redactValue } from '@yardarm/shared/errors';

export function projectNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find the project with ID ${redactValue(id, [])}.`);
}
