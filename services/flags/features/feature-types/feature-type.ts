import { AppError, redactValue } from '@yardarm/shared/errors';

export function featureTypeNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find the feature type with ID ${redactValue(id, [])}.`);
}

export function featureTypeOrderingKey(id: string): string {
  return `feature-type:${id}`;
}
