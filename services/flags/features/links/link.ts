import { AppError, redactValue } from '@yardarm/shared/errors';

export interface StoredLink {
  id: string;
  url: string;
  title: string | null;
}

/** Each event of a change of links carries all links of the flag. */
export const maxLinks = 50;

export function linkNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find the link with ID ${redactValue(id, [])}.`);
}

export function tooManyLinks(): AppError {
  return new AppError(
    'limit-exceeded',
    `A feature may have at most ${maxLinks} links. Remove one before you add another.`,
  );
}
