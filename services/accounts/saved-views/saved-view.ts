import { maxSavedViews, type SavedView } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';

/** What the user chooses of a saved view. */
export type SavedViewDefinition = Omit<SavedView, 'id' | 'createdAt'>;

export interface StoredSavedView extends SavedViewDefinition {
  id: number;
  createdAt: Date;
}

export function toSavedView(stored: StoredSavedView): SavedView {
  return { ...stored, createdAt: stored.createdAt.toISOString() };
}

export function requireBelowSavedViewLimit(count: number): void {
  if (count < maxSavedViews) return;
  throw new AppError(
    'limit-exceeded',
    `You have saved ${count} views; there can be at most ${maxSavedViews}. Delete one.`,
  );
}

export function savedViewNameTaken(name: string): AppError {
  return new AppError('name-exists', `You have already saved a view with the name ${redactValue(name, ['name'])}.`);
}

export function savedViewNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the saved view with ID "${id}".`);
}
